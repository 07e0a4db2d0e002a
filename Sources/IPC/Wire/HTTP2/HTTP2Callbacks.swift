// SPDX-License-Identifier: Apache-2.0

internal import CNghttp2

/// The C side of `HTTP2Session`: each callback turns pointers into values and calls the delegate.
///
/// `user_data` is the `HTTP2Session`, unretained: nghttp2 calls back only inside its `receive` and `fill`.
enum HTTP2Callbacks {
    /// The caller frees the result with `nghttp2_session_callbacks_del`.
    static func make() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        let status = unsafe nghttp2_session_callbacks_new(&callbacks)
        precondition(status == 0, "nghttp2_session_callbacks_new failed: \(status)")
        unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, onBeginFrame)
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onDataChunk)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, onFrameSent)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        return unsafe callbacks
    }

    static var dataProvider: nghttp2_data_provider {
        var provider = unsafe nghttp2_data_provider()
        unsafe provider.read_callback = readData
        return unsafe provider
    }
}

private let callbackFailed = Int32(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)

private func delegate(_ context: UnsafeMutableRawPointer?) -> (session: HTTP2Session, any HTTP2SessionDelegate)? {
    guard let context = unsafe context else { return nil }
    let session = unsafe Unmanaged<HTTP2Session>.fromOpaque(context).takeUnretainedValue()
    guard let delegate = session.delegate else { return nil }
    return (session, delegate)
}

private let onBeginFrame: nghttp2_on_begin_frame_callback = { _, header, context in
    guard let (_, delegate) = unsafe delegate(context), let header = unsafe header?.pointee else {
        return callbackFailed
    }
    delegate.receivedFrame(FrameHeader(kind: header.type, flags: header.flags, length: header.length))
    return 0
}

private let onBeginHeaders: nghttp2_on_begin_headers_callback = { _, frame, context in
    guard let (_, delegate) = unsafe delegate(context), let frame = unsafe frame else { return callbackFailed }
    if unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
        unsafe delegate.openedStream(frame.pointee.hd.stream_id)
    }
    return 0
}

private let onHeader: nghttp2_on_header_callback = { _, frame, name, nameCount, value, valueCount, _, context in
    guard let (_, delegate) = unsafe delegate(context), let frame = unsafe frame else { return callbackFailed }
    let nameBytes = unsafe UnsafeBufferPointer(start: name, count: nameCount)
    let known = unsafe nameCount <= 24 ? HeaderName(rawValue: String(decoding: nameBytes, as: UTF8.self)) : nil
    let text =
        known == nil ? "" : unsafe String(decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
    let stream = unsafe frame.pointee.hd.stream_id
    delegate.receivedHeader(known, value: text, size: nameCount + valueCount + 32, on: stream)
    return 0
}

private let onDataChunk: nghttp2_on_data_chunk_recv_callback = { _, _, stream, data, count, context in
    guard let (_, delegate) = unsafe delegate(context) else { return callbackFailed }
    let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
    unsafe delegate.receivedData(bytes.span, on: stream)
    return 0
}

private let onFrame: nghttp2_on_frame_recv_callback = { _, frame, context in
    guard let (_, delegate) = unsafe delegate(context), let frame = unsafe frame else { return callbackFailed }
    let header = unsafe frame.pointee.hd
    switch Int(header.type) {
    case Int(NGHTTP2_HEADERS.rawValue):
        delegate.receivedEndOfHeaders(on: header.stream_id)
        if header.flags & FrameHeader.endOfStream != 0 { delegate.receivedEndOfStream(header.stream_id) }
    case Int(NGHTTP2_DATA.rawValue):
        if header.flags & FrameHeader.endOfStream != 0 { delegate.receivedEndOfStream(header.stream_id) }
    case Int(NGHTTP2_GOAWAY.rawValue):
        let goAway = unsafe frame.pointee.goaway
        unsafe delegate.receivedGoAway(
            lastStream: goAway.last_stream_id,
            code: HTTP2ErrorCode(rawValue: goAway.error_code)
        )
    default: break
    }
    return 0
}

private let onFrameSent: nghttp2_on_frame_send_callback = { _, frame, context in
    guard let (_, delegate) = unsafe delegate(context), let frame = unsafe frame else { return callbackFailed }
    let header = unsafe frame.pointee.hd
    let carriesEnd = header.type == FrameHeader.headers || header.type == FrameHeader.data
    if carriesEnd && header.flags & FrameHeader.endOfStream != 0 { delegate.sentEndOfStream(header.stream_id) }
    return 0
}

private let onStreamClose: nghttp2_on_stream_close_callback = { _, stream, code, context in
    guard let (_, delegate) = unsafe delegate(context) else { return callbackFailed }
    delegate.closedStream(stream, code: HTTP2ErrorCode(rawValue: code))
    return 0
}

private let readData: nghttp2_data_source_read_callback = { _, stream, buffer, limit, flags, _, context in
    guard let (session, delegate) = unsafe delegate(context), let buffer = unsafe buffer, let flags = unsafe flags
    else { return Int(callbackFailed) }
    switch delegate.nextData(for: stream, limit: limit) {
    case .bytes(let bytes):
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            unsafe buffer.update(from: base, count: source.count)
        }
        return bytes.count
    case .later:
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .end(let trailers):
        unsafe flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        if let trailers {
            unsafe flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue)
            session.sendTrailers(trailers, on: stream)
        }
        return 0
    }
}
