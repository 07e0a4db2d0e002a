// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// An open libavcodec decoder of one stream.
@safe struct CodecContext: ~Copyable {
    /// The result of a receive call.
    enum Output: Hashable {
        /// A video frame, or this many audio samples.
        case frame(samples: Int, isDamaged: Bool)
        case needsInput
        case ended
    }

    private let pointer: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>

    private init(_ codec: UnsafePointer<AVCodec>) {
        unsafe pointer = allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
        unsafe frame = allocated(av_frame_alloc(), by: "av_frame_alloc")
    }

    /// Opens a decoder in its initial state (`avcodec_open2`), on one thread.
    static func decoder(for parameters: UnsafePointer<AVCodecParameters>) throws(FFmpegError) -> CodecContext {
        guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id) else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder")
        }
        let context = unsafe CodecContext(codec)
        try check(unsafe avcodec_parameters_to_context(context.pointer, parameters), "avcodec_parameters_to_context")
        unsafe context.pointer.pointee.thread_count = 1
        // The caller counts frames, so frames that are not presented must be output too.
        unsafe context.pointer.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        try check(unsafe avcodec_open2(context.pointer, codec, nil), "avcodec_open2")
        return context
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&pointer)
    }

    /// Sends a packet, or `nil` to drain (`avcodec_send_packet`).
    func send(_ packet: Packet?) throws(FFmpegError) {
        assertMayBlock("avcodec_send_packet")
        let status =
            if let packet {
                unsafe packet.withPointer { unsafe avcodec_send_packet(pointer, $0) }
            } else {
                unsafe avcodec_send_packet(pointer, nil)
            }
        try check(status, "avcodec_send_packet")
    }

    /// `avcodec_receive_frame`.
    func receive() throws(FFmpegError) -> Output {
        let status = unsafe avcodec_receive_frame(pointer, frame)
        if status == CFFmpegErrorAgain { return .needsInput }
        if status == CFFmpegErrorEOF { return .ended }
        try check(status, "avcodec_receive_frame")
        defer { unsafe av_frame_unref(frame) }
        let isDamaged = unsafe frame.pointee.decode_error_flags != 0 || frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
        return .frame(samples: unsafe Int(frame.pointee.nb_samples), isDamaged: isDamaged)
    }
}
