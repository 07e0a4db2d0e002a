// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire
internal import NIOCore

/// The client side of a connection: an HTTP/2 session and its open calls. Used only on its event loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let writeSize = 64 << 10

    let session: HTTP2Session
    private var calls: [Int32: ClientCall] = [:]
    private var context: ChannelHandlerContext?
    private var output = ByteBuffer()
    private var isInsideSession = false
    private var isFlushScheduled = false
    /// The reason why new calls fail. `nil` while calls can be made.
    private(set) var failure: EngineClientError?

    init() {
        var limits = HTTP2Limits()
        limits.streamWindow = 64 << 10
        limits.headerListSize = 16 << 10
        limits.isWindowManual = true
        session = HTTP2Session(role: .client, limits: limits)
    }

    func start(_ call: ClientCall, headers: HeaderBlock) {
        if let failure { return call.fail(failure) }
        guard context != nil else { return call.fail(.connectionLost) }
        let stream = session.request(headers: headers)
        guard stream > 0 else { return call.fail(EngineClientError(.internal, "nghttp2 opened no stream: \(stream)")) }
        calls[stream] = call
        call.opened(stream, on: self)
        scheduleFlush()
    }

    // MARK: Channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        end(.connectionLost)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isInsideSession = true
        let isUsable = session.receive(unwrapInboundIn(data), delegate: self)
        isInsideSession = false
        if !isUsable { close(EngineClientError(.unavailable, "the server on the socket does not speak HTTP/2")) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) { flush() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close(EngineClientError(.unavailable, "the connection to the engine failed", cause: "\(error)"))
    }

    func close(_ reason: EngineClientError) {
        end(reason)
        context?.close(promise: nil)
    }

    private func end(_ reason: EngineClientError) {
        if failure == nil { failure = reason }
        let ended = calls
        calls = [:]
        for call in ended.values { call.fail(failure ?? reason) }
    }

    func scheduleFlush() {
        guard !isFlushScheduled, !isInsideSession, let context else { return }
        isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute { self.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        // A failed write can close the connection while this loop runs.
        while let context, context.channel.isWritable {
            output.clear()
            isInsideSession = true
            let isUsable = session.fill(&output, limit: Self.writeSize, delegate: self)
            isInsideSession = false
            guard isUsable, output.readableBytes > 0 else { break }
            context.writeAndFlush(wrapOutboundOut(output), promise: nil)
        }
        if session.isFinished { context?.close(promise: nil) }
    }
}

extension ClientConnection: HTTP2SessionDelegate {
    func receivedFrame(_ frame: FrameHeader) {}

    func openedStream(_ stream: Int32) {}

    func receivedHeader(_ name: HeaderName?, value: String, size: Int, on stream: Int32) {
        if let name { calls[stream]?.receive(name, value) }
    }

    func receivedEndOfHeaders(on stream: Int32) {}

    func receivedData(_ data: Span<UInt8>, on stream: Int32) {
        // A call that is read slowly holds back only the window of its own stream, so that it does not block other
        // calls.
        session.consume(connection: data.count)
        if let call = calls[stream] {
            call.receive(data)
        } else {
            session.consume(stream: stream, data.count)
        }
    }

    func receivedEndOfStream(_ stream: Int32) { calls[stream]?.receiveEnd() }

    func sentEndOfStream(_ stream: Int32) {}

    func closedStream(_ stream: Int32, code: HTTP2ErrorCode) {
        calls.removeValue(forKey: stream)?.fail(
            EngineClientError(.unavailable, "the engine reset the call (HTTP/2 error \(code.rawValue))")
        )
    }

    func receivedGoAway(lastStream last: Int32, code: HTTP2ErrorCode) {
        failure = EngineClientError(
            .unavailable,
            code == .enhanceYourCalm ? "the engine rejects this client for now" : "the engine is shutting down"
        )
    }

    func nextData(for stream: Int32, limit: Int) -> OutboundData {
        calls[stream]?.nextData(limit: limit) ?? .end(trailers: nil)
    }
}

extension EngineClientError {
    static let connectionLost = EngineClientError(.unavailable, "the connection to the engine was closed")
    static let cancelled = EngineClientError(.cancelled, "the call was cancelled")
}
