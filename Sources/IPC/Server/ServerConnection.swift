// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging
internal import NIOCore
internal import Wire

/// One client: passes the bytes of the socket to and from an HTTP/2 session, and holds the client's open calls.
///
/// Output is pulled: the connection asks the session for bytes only while the socket accepts them. If a client stops
/// reading, its calls wait once its socket and the channel's write buffer are full.
final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let writeSize = 64 << 10
    /// How long the socket may take to accept the last bytes before the connection is closed.
    private static let closingPatience = TimeAmount.seconds(1)

    /// The state of the connection, with the timer that can end it.
    private enum State {
        case idle
        /// The client has not sent a frame yet.
        case waiting(ChannelHandlerContext, timeout: Scheduled<Void>)
        case open(ChannelHandlerContext)
        /// The client has been sent ENHANCE_YOUR_CALM; its further frames are not counted.
        case cutOff(ChannelHandlerContext)
        /// Closes once the socket has accepted the written bytes, or when the timeout ends.
        case closing(ChannelHandlerContext, timeout: Scheduled<Void>)
        case closed

        /// `nil` while the channel is not active.
        var context: ChannelHandlerContext? {
            switch self {
            case .waiting(let context, _), .open(let context), .cutOff(let context), .closing(let context, _): context
            case .idle, .closed: nil
            }
        }

        /// The context for reading and writing; `nil` if no more bytes are read or written.
        var usableContext: ChannelHandlerContext? {
            if case .closing = self { nil } else { context }
        }
    }

    let core: ServerCore
    let session: HTTP2Session
    let quota: ClientQuota
    private let isRefused: Bool
    private(set) var calls: [Int32: ServerCall] = [:]
    private var state = State.idle
    private var flood = TokenBucket(capacity: 800, perSecond: 100)
    private var isFlushScheduled = false
    private var isInsideSession = false

    /// - Parameter isRefused: whether to end the connection with GOAWAY as soon as it is open.
    init(core: ServerCore, isRefused: Bool) {
        self.core = core
        self.isRefused = isRefused
        quota = ClientQuota(of: core.quota)
        session = HTTP2Session(role: .server, limits: core.limits.http2)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) { core.add(self) }

    func handlerRemoved(context: ChannelHandlerContext) { core.remove(self) }

    func channelActive(context: ChannelHandlerContext) {
        if isRefused {
            state = .cutOff(context)
            session.terminate(code: .enhanceYourCalm)
        } else {
            let timeout = core.loop.assumeIsolated().scheduleTask(in: core.limits.prefaceTimeout) {
                self.core.logger.debug("closed a connection: the client did not speak HTTP/2")
                self.close()
            }
            state = .waiting(context, timeout: timeout)
        }
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch state {
        case .waiting(_, let timeout), .closing(_, let timeout): timeout.cancel()
        case .idle, .open, .cutOff, .closed: break
        }
        state = .closed
        let ended = calls
        calls = [:]
        for call in ended.values { call.streamClosed() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard state.usableContext != nil else { return }
        isInsideSession = true
        let isUsable = session.receive(unwrapInboundIn(data), delegate: self)
        isInsideSession = false
        if !isUsable {
            flush()
            closeAfterWrites()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) { flush() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    // MARK: Output

    /// Flushes once before the event loop sleeps again, however often this is called.
    func scheduleFlush() {
        guard !isFlushScheduled, !isInsideSession, state.context != nil else { return }
        isFlushScheduled = true
        core.output.schedule(self)
    }

    func flush() {
        isFlushScheduled = false
        guard !isInsideSession else { return }
        // A failed write can end the connection while this loop runs.
        while let context = state.usableContext, context.channel.isWritable {
            isInsideSession = true
            let written: Int? = core.output.withBuffer { output in
                output.clear()
                guard session.fill(&output, limit: Self.writeSize, delegate: self) else { return nil }
                isInsideSession = false
                if output.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(output), promise: nil) }
                return output.readableBytes
            }
            isInsideSession = false
            guard let written else { return close() }
            if written < Self.writeSize { break }
        }
        if session.isFinished { closeAfterWrites() }
    }

    /// Closes once the socket has accepted the written bytes, or after `closingPatience`.
    private func closeAfterWrites() {
        guard let context = state.usableContext else { return }
        if case .waiting(_, let timeout) = state { timeout.cancel() }
        let timeout = core.loop.assumeIsolated().scheduleTask(in: Self.closingPatience) { self.close() }
        state = .closing(context, timeout: timeout)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            timeout.cancel()
            self.close()
        }
    }

    func close() { state.context?.close(promise: nil) }

    // MARK: Shutdown

    /// Sends GOAWAY, ends every call with UNAVAILABLE, and closes once all of this has been sent.
    func shutDown() {
        session.goAway()
        for call in calls.values { call.finish(GRPCStatus(.unavailable, "the engine is shutting down")) }
        flush()
    }
}

extension ServerConnection: HTTP2SessionDelegate {
    func receivedFrame(_ frame: FrameHeader) {
        if case .waiting(let context, let timeout) = state {
            timeout.cancel()
            state = .open(context)
        }
        guard frame.costsMoreThanItCarries, case .open(let context) = state,
            !flood.take(at: monotonicNanoseconds())
        else { return }
        state = .cutOff(context)
        core.logger.warning("closed a connection: the client sent too many empty or control frames")
        session.terminate(code: .enhanceYourCalm)
    }

    func openedStream(_ stream: Int32) { calls[stream] = ServerCall(stream: stream, connection: self) }

    func receivedHeader(_ name: HeaderName?, value: String, size: Int, on stream: Int32) {
        calls[stream]?.receivedHeader(name, value: value, size: size, limit: Int(core.limits.headerListSize))
    }

    func receivedEndOfHeaders(on stream: Int32) { calls[stream]?.begin() }

    func receivedData(_ data: Span<UInt8>, on stream: Int32) { calls[stream]?.receive(data) }

    func receivedEndOfStream(_ stream: Int32) { calls[stream]?.receiveEnd() }

    func sentEndOfStream(_ stream: Int32) {
        // The client's side of the stream is still open, but the call is over: RST_STREAM(NO_ERROR), RFC 9113 §8.1.
        if let call = calls[stream], !call.isRemoteEnded { session.reset(stream, code: .none) }
    }

    func closedStream(_ stream: Int32, code: HTTP2ErrorCode) { calls.removeValue(forKey: stream)?.streamClosed() }

    func receivedGoAway(lastStream last: Int32, code: HTTP2ErrorCode) {}

    func nextData(for stream: Int32, limit: Int) -> OutboundData {
        calls[stream]?.nextData(limit: limit) ?? .end(trailers: nil)
    }
}

extension FrameHeader {
    /// Whether many such frames are a flood (RFC 9113 §10.5): DATA frames that are empty and do not end their stream,
    /// and frames of all other types except HEADERS and WINDOW_UPDATE.
    fileprivate var costsMoreThanItCarries: Bool {
        switch kind {
        case Self.data: length == 0 && flags & Self.endOfStream == 0
        case Self.headers, Self.windowUpdate: false
        case Self.continuation: true
        default: true
        }
    }
}
