// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Encodes single frames with libavcodec.
enum FrameEncoder {
    /// Encodes one frame (`avcodec_send_frame`), on one thread and bit-exact.
    ///
    /// - Parameter options: the encoder's private options.
    static func encode(
        _ frame: VideoFrame,
        _ name: String,
        options: [(String, String)] = []
    ) throws(FFmpegError) -> [UInt8] {
        assertMayBlock("avcodec_send_frame")
        guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
            throw FFmpegError(CFFmpegErrorEncoderNotFound, in: "avcodec_find_encoder_by_name")
        }
        let context = unsafe allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
        defer {
            var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
            unsafe avcodec_free_context(&context)
        }
        let copy = unsafe frame.withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        let input = unsafe VideoFrame(taking: copy)
        unsafe context.pointee.width = CInt(input.width)
        unsafe context.pointee.height = CInt(input.height)
        unsafe context.pointee.pix_fmt = input.format
        unsafe context.pointee.color_range = copy.pointee.color_range
        unsafe context.pointee.time_base = AVRational(num: 1, den: 1)
        unsafe context.pointee.thread_count = 1
        unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        for (key, value) in options {
            try check(unsafe av_opt_set(context, key, value, AV_OPT_SEARCH_CHILDREN), "av_opt_set")
        }
        try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
        try check(unsafe avcodec_send_frame(context, copy), "avcodec_send_frame")
        try check(unsafe avcodec_send_frame(context, nil), "avcodec_send_frame")
        let packet = PacketBuffer()
        try check(unsafe avcodec_receive_packet(context, packet.pointer), "avcodec_receive_packet")
        return unsafe Array(
            UnsafeBufferPointer(start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
        )
    }
}
