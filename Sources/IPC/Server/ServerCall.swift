// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore
internal import Wire

/// One gRPC call as the server sees it: one HTTP/2 stream. Used only on the event loop; owned by its connection.
final class ServerCall {
    let stream: Int32
    /// `nil` once the stream is gone; until then the connection owns the call.
    private(set) var connection: ServerConnection?
    private var head = RequestHead()
    private var deframer = MessageDeframer()
    private var heldByteCount = 0
    private var handler: (any CallHandler)?
    private var deadline: Scheduled<Void>?
    /// The rest of the message that is being sent.
    private var outgoing: ArraySlice<UInt8> = []
    private var status: GRPCStatus?
    private var areHeadersSent = false
    private(set) var isRemoteEnded = false

    init(stream: Int32, connection: ServerConnection) {
        self.stream = stream
        self.connection = connection
    }

    // MARK: Incoming

    /// A header field of `size` bytes has arrived. Fields without a known name, and those beyond the limit, count only
    /// towards the size of the list.
    func receivedHeader(_ name: HeaderName?, value: String, size: Int, limit: Int) {
        head.listSize += size
        if let name, head.listSize <= limit { head.add(name, value) }
    }

    /// Called when the headers are complete: begins the call or rejects it.
    func begin() {
        guard let connection, status == nil, handler == nil else { return }
        if let httpStatus = head.httpRefusal {
            status = GRPCStatus(.unknown)
            areHeadersSent = true
            let headers = HeaderBlock([(":status", httpStatus), ("content-type", "text/plain")])
            connection.session.respond(on: stream, headers: headers, hasBody: false)
            return
        }
        do throws(GRPCFailure) {
            try head.check(listLimit: Int(connection.core.limits.headerListSize))
            let timeout = try head.timeout()
            guard let handler = connection.core.methods.handler(for: head.path, core: connection.core) else {
                throw GRPCFailure(.unimplemented, "unknown method \(head.path)")
            }
            self.handler = handler
            if let timeout { startDeadline(timeout, on: connection) }
        } catch {
            finish(error.status)
        }
    }

    func receive(_ bytes: Span<UInt8>) {
        guard status == nil, let handler, let connection else { return }
        // Kept in a local variable while it delivers messages, because a message that ends the call resets
        // `self.deframer`.
        var deframer = deframer
        self.deframer = MessageDeframer()
        defer {
            if status == nil { self.deframer = deframer }
            account()
        }
        guard connection.core.quota.hasRoom(forRequestBytes: bytes.count) else {
            return finish(GRPCStatus(.resourceExhausted, "the server is holding too many bytes of unfinished requests"))
        }
        do throws(GRPCFailure) {
            try deframer.receive(bytes) { message in
                if status == nil { handler.receive(message, on: self) }
            }
        } catch {
            finish(error.status)
        }
    }

    func receiveEnd() {
        isRemoteEnded = true
        guard status == nil, let handler else { return }
        guard deframer.isBetweenMessages else {
            return finish(GRPCStatus(.invalidArgument, "the request ends inside a message"))
        }
        handler.receiveEnd(on: self)
    }

    /// Called when the stream has closed, whether or not the call was finished.
    func streamClosed() {
        if status == nil { status = GRPCStatus(.cancelled) }
        release()
        connection = nil
    }

    // MARK: Outgoing

    /// Sends the response headers now, so that the client knows that the call was accepted.
    func open() {
        guard status == nil, !areHeadersSent else { return }
        sendHeaders()
        connection?.scheduleFlush()
    }

    /// Called by the handler when `nextMessage` has another message.
    func resume() {
        guard let connection else { return }
        if areHeadersSent { connection.session.resume(stream) } else { sendHeaders() }
        connection.scheduleFlush()
    }

    /// Ends the call. If the status is `ok`, the handler's remaining messages are sent first; otherwise they are
    /// dropped.
    func finish(_ status: GRPCStatus) {
        guard self.status == nil, let connection else { return }
        self.status = status
        if status.code != .ok { release() }
        if areHeadersSent {
            connection.session.resume(stream)
        } else if status.code == .ok {
            sendHeaders()
        } else {
            areHeadersSent = true
            connection.session.respond(on: stream, headers: status.trailersOnly, hasBody: false)
        }
        connection.scheduleFlush()
    }

    func nextData(limit: Int) -> OutboundData {
        if outgoing.isEmpty, let message = handler?.nextMessage() { outgoing = message[...] }
        if !outgoing.isEmpty {
            let part = outgoing.prefix(limit)
            outgoing = outgoing.dropFirst(limit)
            return .bytes(part)
        }
        guard let status else { return .later }
        return .end(trailers: status.trailers)
    }

    private func sendHeaders() {
        areHeadersSent = true
        connection?.session.respond(on: stream, headers: GRPCStatus.responseHeaders, hasBody: true)
    }

    // MARK: End of the call

    private func startDeadline(_ timeout: Duration, on connection: ServerConnection) {
        deadline = connection.core.loop.assumeIsolated().scheduleTask(in: TimeAmount(clamping: timeout)) {
            self.finish(GRPCStatus(.deadlineExceeded, "the deadline passed"))
        }
    }

    /// Updates the bytes of this call in the total of all calls.
    private func account() {
        connection?.core.quota.holdRequestBytes(deframer.heldByteCount, insteadOf: heldByteCount)
        heldByteCount = deframer.heldByteCount
    }

    private func release() {
        deadline?.cancel()
        deadline = nil
        deframer = MessageDeframer()
        account()
        let ended = handler
        handler = nil
        ended?.callEnded()
    }
}
