// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import Wire

/// Writes down what a connection reports, and sends prepared bodies.
private final class Recorder: HTTP2SessionDelegate {
    enum Event: Equatable {
        case opened(Int32)
        case header(HeaderName?, String, size: Int, Int32)
        case endOfHeaders(Int32)
        case data([UInt8], Int32)
        case received(endOf: Int32)
        case sent(endOf: Int32)
        case closed(Int32, HTTP2ErrorCode)
        case goAway(last: Int32, HTTP2ErrorCode)
    }

    /// The events since they were last taken.
    private var events: [Event] = []
    private(set) var dataLength = 0
    /// The result of each call of `nextData`; `later` after the last one.
    var body: [OutboundData] = []

    func take() -> [Event] {
        defer { events = [] }
        return events
    }

    func receivedFrame(_ frame: FrameHeader) { if frame.kind == FrameHeader.data { dataLength += frame.length } }
    func openedStream(_ stream: Int32) { events.append(.opened(stream)) }
    func receivedHeader(_ name: HeaderName?, value: String, size: Int, on stream: Int32) {
        events.append(.header(name, value, size: size, stream))
    }
    func receivedEndOfHeaders(on stream: Int32) { events.append(.endOfHeaders(stream)) }
    func receivedData(_ data: Span<UInt8>, on stream: Int32) {
        var bytes: [UInt8] = []
        for index in data.indices { bytes.append(data[index]) }
        events.append(.data(bytes, stream))
    }
    func receivedEndOfStream(_ stream: Int32) { events.append(.received(endOf: stream)) }
    func sentEndOfStream(_ stream: Int32) { events.append(.sent(endOf: stream)) }
    func closedStream(_ stream: Int32, code: HTTP2ErrorCode) { events.append(.closed(stream, code)) }
    func receivedGoAway(lastStream last: Int32, code: HTTP2ErrorCode) { events.append(.goAway(last: last, code)) }
    func nextData(for stream: Int32, limit: Int) -> OutboundData { body.isEmpty ? .later : body.removeFirst() }
}

/// A client and a server whose bytes are exchanged in memory.
private struct Pair {
    let client: HTTP2Session
    let server: HTTP2Session
    let clientSide = Recorder()
    let serverSide = Recorder()

    init(_ limits: HTTP2Limits = HTTP2Limits()) {
        client = HTTP2Session(role: .client, limits: limits)
        server = HTTP2Session(role: .server, limits: limits)
    }

    /// Delivers bytes until neither side has any. Returns whether both sides still work.
    @discardableResult
    func exchange() -> Bool {
        while true {
            var (up, down) = (ByteBuffer(), ByteBuffer())
            guard client.fill(&up, limit: 1 << 20, delegate: clientSide),
                server.receive(up, delegate: serverSide),
                server.fill(&down, limit: 1 << 20, delegate: serverSide),
                client.receive(down, delegate: clientSide)
            else { return false }
            if up.readableBytes == 0, down.readableBytes == 0 { return true }
        }
    }
}

@Suite("One HTTP/2 connection")
struct HTTP2SessionTests {
    private let requestHeaders = HeaderBlock([
        (":method", "POST"), (":scheme", "http"), (":path", "/a"), ("x-unknown", "secret"),
    ])
    private let responseHeaders = HeaderBlock([(":status", "200")])

    @Test("A request and its response arrive with headers, bodies, trailers, and one end on each side")
    func call() {
        let pair = Pair()
        pair.clientSide.body = [.bytes([1, 2, 3]), .end(trailers: nil)]
        #expect(pair.client.request(headers: requestHeaders) == 1)
        #expect(pair.exchange())
        // RFC 9113 §6.5.2: the length of the name, the length of the value, and 32.
        #expect(
            pair.serverSide.take() == [
                .opened(1),
                .header(.method, "POST", size: 7 + 4 + 32, 1),
                .header(nil, "", size: 7 + 4 + 32, 1),
                .header(.path, "/a", size: 5 + 2 + 32, 1),
                .header(nil, "", size: 9 + 6 + 32, 1),
                .endOfHeaders(1),
                .data([1, 2, 3], 1),
                .received(endOf: 1),
            ]
        )
        #expect(pair.clientSide.take() == [.sent(endOf: 1)])
        pair.serverSide.body = [.bytes([4, 5]), .end(trailers: HeaderBlock([("grpc-status", "0")]))]
        pair.server.respond(on: 1, headers: responseHeaders, hasBody: true)
        #expect(pair.exchange())
        #expect(pair.serverSide.take() == [.sent(endOf: 1), .closed(1, .none)])
        #expect(
            pair.clientSide.take() == [
                .header(.status, "200", size: 7 + 3 + 32, 1),
                .endOfHeaders(1),
                .data([4, 5], 1),
                .header(.grpcStatus, "0", size: 11 + 1 + 32, 1),
                .endOfHeaders(1),
                .received(endOf: 1),
                .closed(1, .none),
            ]
        )
    }

    @Test("A response without a body ends with its headers")
    func headersAlone() {
        let pair = Pair()
        pair.clientSide.body = [.end(trailers: nil)]
        _ = pair.client.request(headers: requestHeaders)
        pair.exchange()
        pair.server.respond(on: 1, headers: responseHeaders, hasBody: false)
        pair.exchange()
        #expect(pair.clientSide.take().suffix(3) == [.endOfHeaders(1), .received(endOf: 1), .closed(1, .none)])
    }

    @Test("A body that has no bytes yet waits until it is resumed")
    func resumed() {
        let pair = Pair()
        _ = pair.client.request(headers: requestHeaders)
        pair.exchange()
        _ = pair.serverSide.take()
        pair.clientSide.body = [.bytes([9]), .end(trailers: nil)]
        pair.exchange()
        #expect(pair.serverSide.take().isEmpty)
        pair.client.resume(1)
        pair.exchange()
        #expect(pair.serverSide.take() == [.data([9], 1), .received(endOf: 1)])
    }

    @Test("With manual windows, a sender waits until the receiver has consumed bytes of the stream and the connection")
    func windows() {
        var limits = HTTP2Limits()
        limits.isWindowManual = true
        limits.streamWindow = 100_000
        limits.connectionWindow = 150_000
        let pair = Pair(limits)
        pair.exchange()
        let piece = [UInt8](repeating: 7, count: 10_000)
        pair.clientSide.body = Array(repeating: .bytes(piece[...]), count: 40)
        _ = pair.client.request(headers: requestHeaders)
        pair.exchange()
        #expect(pair.serverSide.dataLength == 100_000)
        pair.server.consume(stream: 1, 100_000)
        pair.exchange()
        #expect(pair.serverSide.dataLength == 150_000)
        pair.server.consume(connection: 150_000)
        pair.exchange()
        #expect(pair.serverSide.dataLength == 200_000)
    }

    @Test("A reset closes a stream on both sides with its code; a stream beyond the limit opens only then")
    func reset() {
        var limits = HTTP2Limits()
        limits.concurrentStreams = 1
        let pair = Pair(limits)
        pair.exchange()
        _ = pair.client.request(headers: requestHeaders)
        pair.exchange()
        _ = pair.client.request(headers: requestHeaders)
        pair.exchange()
        // The second stream waits for the first to end.
        #expect(!pair.serverSide.take().contains(.opened(3)))
        pair.client.reset(1, code: .cancel)
        pair.exchange()
        let events = pair.serverSide.take()
        #expect(events.first == .closed(1, .cancel) && events.contains(.opened(3)))
        #expect(pair.clientSide.take() == [.closed(1, .cancel)])
    }

    @Test("GOAWAY names the last stream that is processed; with no streams left, the connection has finished")
    func goAway() {
        let pair = Pair()
        pair.clientSide.body = [.end(trailers: nil)]
        _ = pair.client.request(headers: requestHeaders)
        pair.exchange()
        pair.server.goAway()
        pair.exchange()
        #expect(pair.clientSide.take().contains(.goAway(last: 1, .none)))
        #expect(!pair.server.isFinished)
        pair.server.respond(on: 1, headers: responseHeaders, hasBody: false)
        pair.exchange()
        #expect(pair.server.isFinished)
    }

    @Test("A peer that does not speak HTTP/2 is refused; the code of a terminated connection arrives")
    func ends() {
        let server = HTTP2Session(role: .server, limits: HTTP2Limits())
        #expect(!server.receive(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"), delegate: Recorder()))
        let pair = Pair()
        pair.exchange()
        pair.server.terminate(code: .enhanceYourCalm)
        pair.exchange()
        #expect(pair.clientSide.take() == [.goAway(last: 0, .enhanceYourCalm)])
        #expect(pair.server.isFinished && pair.client.isFinished)
    }
}
