// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import NIOCore
import NIOPosix

/// A client that sends exactly the given bytes.
final class RawClient: Sendable {
    private let channel: any Channel
    private let inbound: AsyncStream<[UInt8]>
    private let received = Locked<[UInt8]>([])

    private init(channel: any Channel, inbound: AsyncStream<[UInt8]>) {
        self.channel = channel
        self.inbound = inbound
    }

    /// - Parameter reads: whether the client reads what the server sends.
    static func connect(port: Int, reads: Bool = true) async throws -> RawClient {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel: channel, inbound: stream)
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    func close() async throws { try await channel.close() }

    /// Everything received until the connection ends.
    func readToEnd() async -> String {
        for await bytes in inbound { received.withLock { $0 += bytes } }
        return String(decoding: received.withLock { $0 }, as: UTF8.self)
    }

    /// Everything received until `text` has arrived `count` times in total, or the connection ends.
    func read(until text: String, count: Int = 1) async -> String {
        let pattern = Array(text.utf8)
        var found = 0
        var searched = 0
        for await bytes in inbound {
            let all = received.withLock { received in
                received += bytes
                return received
            }
            while found < count, searched + pattern.count <= all.count {
                if all[searched] == pattern[0], all[searched...].starts(with: pattern) { found += 1 }
                searched += 1
            }
            if found == count { break }
        }
        return String(decoding: received.withLock { $0 }, as: UTF8.self)
    }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncStream<[UInt8]>.Continuation

    init(_ continuation: AsyncStream<[UInt8]>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        continuation.yield(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// A request, GET unless `method` names another one, with the minimal headers.
func get(_ path: String, _ headers: String..., method: String = "GET", token: String = ScriptedProvider.token) -> String
{
    let lines = ["\(method) /\(token)/\(path) HTTP/1.1", "Host: 127.0.0.1"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
}
