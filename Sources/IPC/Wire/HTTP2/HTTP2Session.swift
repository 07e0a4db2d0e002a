// SPDX-License-Identifier: Apache-2.0

internal import CNghttp2
package import NIOCore

/// One HTTP/2 connection, in either role: libnghttp2's `nghttp2_session` (RFC 9113).
///
/// It does no I/O. Received bytes go in through `receive`, and bytes to send come out of `fill`. Events are reported to
/// the delegate that is passed to these two methods. Bodies are pulled: the session asks the delegate for bytes of a
/// stream only when the peer's window and the caller of `fill` have room for them.
///
/// Not `Sendable`: it stays on its connection's event loop.
@safe package final class HTTP2Session {
    package enum Role { case server, client }

    private var session: OpaquePointer?
    private let role: Role
    /// Set during `receive` and `fill`; nghttp2 invokes callbacks at no other time.
    private(set) var delegate: (any HTTP2SessionDelegate)?

    package init(role: Role, limits: HTTP2Limits) {
        self.role = role
        let callbacks = unsafe HTTP2Callbacks.make()
        let options = unsafe limits.makeOptions()
        var created: OpaquePointer?
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let status =
            switch role {
            case .server: unsafe nghttp2_session_server_new2(&created, callbacks, context, options)
            case .client: unsafe nghttp2_session_client_new2(&created, callbacks, context, options)
            }
        precondition(status == 0, "nghttp2_session_new2 failed: \(status)")
        unsafe nghttp2_session_callbacks_del(callbacks)
        unsafe nghttp2_option_del(options)
        unsafe session = created
        unsafe limits.submit(to: created, role: role)
    }

    deinit { unsafe nghttp2_session_del(session) }

    /// Whether nothing is left to read or to write, so that the connection can be closed.
    package var isFinished: Bool {
        unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// Processes received bytes (`nghttp2_session_mem_recv`). The answer to a protocol violation, GOAWAY, is in the
    /// bytes of the next `fill`.
    ///
    /// - Returns: `false` if the peer does not speak HTTP/2 at all, or floods. The caller must close the connection.
    package func receive(_ buffer: ByteBuffer, delegate: any HTTP2SessionDelegate) -> Bool {
        self.delegate = delegate
        defer { self.delegate = nil }
        return unsafe buffer.withUnsafeReadableBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe nghttp2_session_mem_recv(session, base, bytes.count) >= 0
        }
    }

    /// Appends whole frames to `buffer` until it holds at least `limit` bytes or there is nothing to send
    /// (`nghttp2_session_mem_send`).
    ///
    /// - Returns: `false` if the session has failed for good. The caller must close the connection.
    package func fill(_ buffer: inout ByteBuffer, limit: Int, delegate: any HTTP2SessionDelegate) -> Bool {
        self.delegate = delegate
        defer { self.delegate = nil }
        while buffer.readableBytes < limit {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(session, &frame)
            if count < 0 { return false }
            if count == 0 { return true }
            unsafe buffer.writeBytes(UnsafeRawBufferPointer(start: frame, count: count))
        }
        return true
    }

    /// Responds to a request (`nghttp2_submit_response`). Without a body, the headers end the stream.
    package func respond(on stream: Int32, headers: HeaderBlock, hasBody: Bool) {
        unsafe headers.withPairs { pairs, count in
            if hasBody {
                var provider = unsafe HTTP2Callbacks.dataProvider
                unsafe nghttp2_submit_response(session, stream, pairs, count, &provider)
            } else {
                unsafe nghttp2_submit_response(session, stream, pairs, count, nil)
            }
        }
    }

    /// Opens a stream with a body (`nghttp2_submit_request`). Returns its id, or a negative nghttp2 error code.
    package func request(headers: HeaderBlock) -> Int32 {
        unsafe headers.withPairs { pairs, count in
            var provider = unsafe HTTP2Callbacks.dataProvider
            return unsafe nghttp2_submit_request(session, nil, pairs, count, &provider, nil)
        }
    }

    /// Sends headers after the body and ends the stream (`nghttp2_submit_trailer`).
    func sendTrailers(_ headers: HeaderBlock, on stream: Int32) {
        unsafe headers.withPairs { pairs, count in
            _ = unsafe nghttp2_submit_trailer(session, stream, pairs, count)
        }
    }

    /// Resumes a stream after `OutboundData.later`: the delegate has bytes again. No effect on a stream that is not
    /// waiting.
    package func resume(_ stream: Int32) {
        _ = unsafe nghttp2_session_resume_data(session, stream)
    }

    package func reset(_ stream: Int32, code: HTTP2ErrorCode) {
        unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    /// Sends GOAWAY and then ends the connection (`nghttp2_session_terminate_session`).
    package func terminate(code: HTTP2ErrorCode) {
        unsafe nghttp2_session_terminate_session(session, code.rawValue)
    }

    /// Sends GOAWAY: no new streams are accepted, open ones continue (`nghttp2_submit_goaway`).
    package func goAway() {
        let last = unsafe nghttp2_session_get_last_proc_stream_id(session)
        unsafe nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, 0, nil, 0)
    }

    /// Returns flow-control window to the peer. Clients do so for the connection immediately, and for the stream once
    /// its bytes have been used.
    package func consume(connection count: Int) { unsafe nghttp2_session_consume_connection(session, count) }

    package func consume(stream: Int32, _ count: Int) { unsafe nghttp2_session_consume_stream(session, stream, count) }
}
