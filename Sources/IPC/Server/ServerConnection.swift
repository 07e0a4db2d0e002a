// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging
internal import NIOCore
internal import Wire

/// One client: passes the bytes of the socket to and from an HTTP/2 session, and holds the client's open calls.
///
/// Output is pulled: the connection asks the session for bytes only while the socket accepts them. A client that stops
/// reading is no longer served and costs only the bytes already in its socket.
final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let writeSize = 64 << 10

    let core: ServerCore
    let session: HTTP2Session
    private let isRefused: Bool
    private(set) var calls: [Int32: ServerCall] = [:]
    /// Running tasks for calls of this client, including cancelled calls.
    var runningTaskCount = 0
    /// Open `Watch` and `Render` calls of this client.
    var watchCount = 0
    var rendererCount = 0
    private var context: ChannelHandlerContext?
    private var flood = TokenBucket(capacity: 800, perSecond: 100)
    private var prefaceTimeout: Scheduled<Void>?
    private var isFlushScheduled = false
    private var isWritable = true
    private var isInsideSession = false
    private var isClosing = false
    /// The client has been sent ENHANCE_YOUR_CALM; its further frames are not counted.
    private var isCutOff = false

    /// - Parameter isRefused: the connection is ended with GOAWAY immediately.
    init(core: ServerCore, isRefused: Bool) {
        self.core = core
        self.isRefused = isRefused
        session = HTTP2Session(role: .server, limits: core.limits.http2)
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) { core.add(self) }

    func handlerRemoved(context: ChannelHandlerContext) { core.remove(self) }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if isRefused {
            session.terminate(code: .enhanceYourCalm)
        } else {
            prefaceTimeout = core.loop.assumeIsolated().scheduleTask(in: core.limits.prefaceTimeout) {
                self.core.logger.debug("closed a connection: the client did not speak HTTP/2")
                self.close()
            }
        }
        flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        prefaceTimeout?.cancel()
        self.context = nil
        let ended = calls
        calls = [:]
        for call in ended.values { call.streamClosed() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        isInsideSession = true
        let isUsable = session.receive(unwrapInboundIn(data), delegate: self)
        isInsideSession = false
        if !isUsable {
            flush()
            closeAfterWrites()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }

    // MARK: Output

    /// Flushes once before the event loop sleeps again, however often this is called.
    func scheduleFlush() {
        guard !isFlushScheduled, !isInsideSession, context != nil else { return }
        isFlushScheduled = true
        core.scheduleFlush(self)
    }

    func flush() {
        isFlushScheduled = false
        guard !isClosing, !isInsideSession else { return }
        // A write can fail and end the connection while this loop runs.
        while let context, isWritable {
            isInsideSession = true
            let written: Int? = core.withOutput { output in
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

    /// Closes once the socket has accepted the written bytes, or after one second.
    private func closeAfterWrites() {
        guard let context, !isClosing else { return }
        isClosing = true
        let timeout = core.loop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.close() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
            timeout.cancel()
            self.close()
        }
    }

    func close() { context?.close(promise: nil) }

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
        prefaceTimeout?.cancel()
        prefaceTimeout = nil
        guard frame.costsMoreThanItCarries else { return }
        if !isCutOff && !flood.take(at: monotonicNanoseconds()) {
            isCutOff = true
            core.logger.warning("closed a connection: the client floods with empty or control frames")
            session.terminate(code: .enhanceYourCalm)
        }
    }

    func openedStream(_ stream: Int32) { calls[stream] = ServerCall(stream: stream, connection: self) }

    func receivedHeader(_ name: HeaderName?, value: String, size: Int, on stream: Int32) {
        guard let call = calls[stream] else { return }
        call.head.listSize += size
        if let name, call.head.listSize <= Int(core.limits.headerListSize) { call.head.add(name, value) }
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
    /// Control frames, resets and empty data frames: the frames of a flood (RFC 9113 §10.5).
    fileprivate var costsMoreThanItCarries: Bool {
        switch kind {
        case Self.data: length == 0 && flags & Self.endOfStream == 0
        case Self.headers, Self.windowUpdate: false
        case Self.continuation: true
        default: true
        }
    }
}
