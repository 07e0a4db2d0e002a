// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Loopback

@Suite("Responses on their way to a client")
struct OutgoingResponseTests {
    private static let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 251 + $0) }

    private func outgoing(_ count: Int, from start: Int = 0, header: String = "x") -> OutgoingResponse {
        var response = Response(status: .ok, contentLength: count, body: ByteBody(Self.bytes))
        response.headers = [("Test", header)]
        response.bodyRange = start..<start + count
        return OutgoingResponse(response, date: "today")
    }

    @Test(
        "A response is sent in pieces of 256 KiB, the head included, and never takes more memory than one of them",
        arguments: [0, 1, 1000, 5000, 200_000, 262_000, 262_143, 262_144, 262_145, 524_288, 699_000]
    )
    func pieces(count: Int) throws {
        var response = outgoing(count, from: 361)
        let head =
            "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: \(count)\r\nTest: x\r\nConnection: keep-alive\r\n\r\n"
        let expected = Array(head.utf8) + Self.bytes[361..<361 + count]
        var received: [UInt8] = []
        var bodyByteCounts = 0
        while received.count < expected.count {
            guard case .write(let piece, let bodyByteCount) = response.next() else { throw Unexpected() }
            received += Array(buffer: piece)
            bodyByteCounts += bodyByteCount
            #expect(piece.readableBytes <= OutgoingResponse.pieceSize)
            #expect(piece.readableBytes == OutgoingResponse.pieceSize || received.count == expected.count)
            #expect(response.copyByteCount <= OutgoingResponse.pieceSize)
            #expect(response.copyByteCount <= 2 * (count + 1024), "no more than a short response needs")
            // The channel has not sent it yet.
            guard case .wait = response.next() else { throw Unexpected() }
            #expect(response.body?.byteCount == Self.bytes.count)
            response.sent()
        }
        #expect(received == expected)
        #expect(bodyByteCounts == count)
        guard case .end = response.next() else { throw Unexpected() }
    }

    @Test("A head may be longer than expected")
    func longHead() throws {
        var response = outgoing(262_144, header: String(repeating: "x", count: 300_000))
        guard case .write(let head, 0) = response.next() else { throw Unexpected() }
        #expect(head.readableBytes > 300_000)
        response.sent()
        guard case .write(let rest, 262_144) = response.next() else { throw Unexpected() }
        #expect(rest.readableBytes == 262_144)
    }

    @Test("A response is over, and no longer counted, when the channel has sent its last bytes, and not before")
    func overWhenSent() throws {
        let client = try Client()
        defer { client.close() }
        var ends = 0
        let pump = ResponsePump(outgoing(262_144), to: client.context, counting: client.registry) { ends += 1 }
        pump.resume()
        pump.resume()
        #expect(client.pending == [OutgoingResponse.pieceSize])
        client.loop.advanceTime(by: .seconds(5))
        #expect(pump.progress == client.loop.now - .seconds(5))
        client.accept()
        // The rest is only a few bytes, but the memory of the whole piece is still in use.
        #expect(client.pending.count == 1 && client.pending[0] < 200)
        #expect(pump.progress == client.loop.now)
        #expect(pump.held?.copyByteCount == OutgoingResponse.pieceSize)
        pump.resume()
        #expect(ends == 0)
        client.accept()
        #expect(ends == 1 && client.pending.isEmpty)
        #expect(client.registry.counters.withLock { $0.bodyBytes } == 262_144)
    }

    @Test("Nothing follows a response whose connection is over")
    func cancelled() throws {
        let client = try Client()
        defer { client.close() }
        var ends = 0
        let pump = ResponsePump(outgoing(300_000), to: client.context, counting: client.registry) { ends += 1 }
        pump.resume()
        pump.cancel()
        client.accept()
        #expect(ends == 0 && client.pending.isEmpty)
    }

    private struct Unexpected: Error {}

    /// A client that accepts only what the test lets it.
    private struct Client {
        private let channel = EmbeddedChannel()
        private let socket = StalledSocket()
        let context: ChannelHandlerContext
        let registry: ConnectionRegistry

        init() throws {
            let anchor = Anchor()
            try channel.pipeline.syncOperations.addHandlers([socket, anchor])
            context = try channel.pipeline.syncOperations.context(handler: anchor)
            registry = ConnectionRegistry(
                configuration: LoopbackConfiguration(),
                eventLoop: channel.eventLoop,
                counters: Locked(ServeCounters())
            )
        }

        var loop: EmbeddedEventLoop { channel.embeddedEventLoop }

        /// The sizes of the writes that have not been accepted.
        var pending: [Int] { socket.writes.map(\.byteCount) }

        /// Accepts everything written so far.
        func accept() {
            socket.accept()
            loop.run()
        }

        /// Frees the channel.
        func close() {
            accept()
            channel.close(promise: nil)
            loop.run()
        }
    }

    private final class StalledSocket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var writes: [(byteCount: Int, promise: EventLoopPromise<Void>?)] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            writes.append((unwrapOutboundIn(data).readableBytes, promise))
        }

        func flush(context: ChannelHandlerContext) {
            // The client reads nothing.
        }

        func accept() {
            let accepted = writes
            writes = []
            for write in accepted { write.promise?.succeed() }
        }
    }

    private final class Anchor: ChannelInboundHandler { typealias InboundIn = ByteBuffer }
}
