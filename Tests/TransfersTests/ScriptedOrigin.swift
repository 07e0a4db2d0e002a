// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Glibc
import NIOCore
import NIOPosix

/// A server that answers each request with the steps of a script.
final class ScriptedOrigin: Sendable {
    struct Request: Sendable {
        let method: String
        let target: String
        /// Names are in lower case.
        let fields: [String: String]
        let body: String
        /// Counts the requests from 0, over all connections.
        let number: Int
        /// The number of open connections when the connection of this request was opened, including itself.
        let concurrency: Int

        /// First and last byte of `Range: bytes=first-last`; `last` is `nil` if omitted.
        var range: (first: Int, last: Int?)? {
            guard let text = fields["range"], text.hasPrefix("bytes=") else { return nil }
            let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let first = parts[0] else { return nil }
            return (first, parts[1])
        }
    }

    enum Step: Sendable {
        case send([UInt8])
        /// Sends nothing until the client disconnects or the test ends.
        case silence
        case pause(milliseconds: Int64)
        /// Sends nothing until the condition holds. The condition is checked every 2 ms, on the thread of the
        /// connection.
        case until(@Sendable () -> Bool)
        case close
        /// Resets the connection (RST).
        case reset
    }

    let port: Int
    let requests = Locked<[Request]>([])
    private let arrived = ChangeSignal()
    /// The number of open connections, and the highest number so far.
    let connections = Locked<(now: Int, most: Int)>((0, 0))
    private let channel: any Channel

    init(_ answer: @escaping @Sendable (Request) -> [Step]) async throws {
        let (requests, connections, arrived) = (requests, connections, arrived)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let conversation = Conversation(requests, connections, arrived, answer)
                    try channel.pipeline.syncOperations.addHandler(conversation)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws { try await channel.close() }

    /// Waits until this many requests have arrived.
    func untilArrival(of count: Int) async throws {
        while case let seen = arrived.signalCount, requests.withLock({ $0.count }) < count {
            await arrived.wait(after: seen)
            try Task.checkCancellation()
        }
    }

    func url(_ path: String = "film.mkv") -> String { "http://127.0.0.1:\(port)/\(path)" }
}

extension ScriptedOrigin.Step {
    static func head(_ status: String, _ fields: String...) -> Self {
        .send(
            Array(
                ([status.hasPrefix("HTTP") ? status : "HTTP/1.1 \(status)"] + fields + ["", ""]).joined(
                    separator: "\r\n"
                ).utf8
            )
        )
    }
}

extension ScriptedOrigin.Request {
    /// A correct response to a request for `film`, with the requested range or all of it.
    func answer(of film: [UInt8], tag: String = "\"a\"") -> [ScriptedOrigin.Step] {
        guard let range else {
            return [.head("200 OK", "Content-Length: \(film.count)", "ETag: \(tag)"), .send(film)]
        }
        guard range.first < film.count else {
            return [.head("416 Range Not Satisfiable", "Content-Range: bytes */\(film.count)", "Content-Length: 0")]
        }
        let last = min(range.last ?? film.count - 1, film.count - 1)
        return [
            .head(
                "206 Partial Content",
                "Content-Range: bytes \(range.first)-\(last)/\(film.count)",
                "Content-Length: \(last - range.first + 1)",
                "ETag: \(tag)"
            ),
            .send(Array(film[range.first...last])),
        ]
    }
}

private final class Conversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: Locked<[ScriptedOrigin.Request]>
    private let connections: Locked<(now: Int, most: Int)>
    private let arrived: ChangeSignal
    private let answer: @Sendable (ScriptedOrigin.Request) -> [ScriptedOrigin.Step]
    private var head = ""
    private var concurrency = 0

    init(
        _ requests: Locked<[ScriptedOrigin.Request]>,
        _ connections: Locked<(now: Int, most: Int)>,
        _ arrived: ChangeSignal,
        _ answer: @escaping @Sendable (ScriptedOrigin.Request) -> [ScriptedOrigin.Step]
    ) {
        self.requests = requests
        self.connections = connections
        self.arrived = arrived
        self.answer = answer
    }

    func channelActive(context: ChannelHandlerContext) {
        connections.withLock { connections in
            connections.now += 1
            connections.most = max(connections.most, connections.now)
            concurrency = connections.now
        }
    }

    func channelInactive(context: ChannelHandlerContext) { connections.withLock { $0.now -= 1 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(decoding: unwrapInboundIn(data).readableBytesView, as: UTF8.self)
        guard let end = head.firstRange(of: "\r\n\r\n") else { return }
        let lines = head[..<end.lowerBound].split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop { $0 == " " }.description : ""
        }
        let body = String(head[end.upperBound...])
        guard body.utf8.count >= fields["content-length"].flatMap({ Int($0) }) ?? 0 else { return }
        head = ""
        let words = lines[0].split(separator: " ").map(String.init)
        let request = requests.withLock { requests in
            let request = ScriptedOrigin.Request(
                method: words[0],
                target: words[1],
                fields: fields,
                body: body,
                number: requests.count,
                concurrency: concurrency
            )
            requests.append(request)
            return request
        }
        arrived.signal()
        perform(answer(request)[...], context)
    }

    private func perform(_ steps: ArraySlice<ScriptedOrigin.Step>, _ context: ChannelHandlerContext) {
        guard let step = steps.first else { return }
        let rest = steps.dropFirst()
        switch step {
        case .send(let bytes):
            let written = context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)))
            written.assumeIsolated().whenSuccess { self.perform(rest, context) }
        case .silence: break
        case .pause(let milliseconds):
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
                self.perform(rest, context)
            }
        case .until(let condition):
            if condition() { return perform(rest, context) }
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(2)) { self.perform(steps, context) }
        case .close: context.close(promise: nil)
        case .reset:
            // Without this option, the connection would end with FIN.
            let provider = context.channel as? any SocketOptionProvider
            _ = provider?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Runs blocking code on a separate thread.
actor Blocking {
    private nonisolated let executor = ThreadExecutor(name: "test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func run<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}
