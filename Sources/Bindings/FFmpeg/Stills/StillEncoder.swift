// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Codes pictures as files (`avcodec_send_frame`).
package enum StillEncoder {
    /// The bytes of a whole JPEG, PNG or WebP file.
    package static func encode(_ picture: VideoFrame, style: StillStyle) throws(FFmpegError) -> [UInt8] {
        let target = style.format.target
        let frame = try unsafe picture.withPointer { (frame) throws(FFmpegError) in
            try unsafe FilterGraph.filtered(frame, by: target.filters)
        }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe frame
        defer { unsafe av_frame_free(&unused) }
        return try unsafe encode(frame, target, quality: style.quality)
    }

    private static func encode(
        _ frame: UnsafeMutablePointer<AVFrame>,
        _ target: Target,
        quality: Int
    ) throws(FFmpegError) -> [UInt8] {
        assertMayBlock("avcodec_open2")
        guard let codec = unsafe avcodec_find_encoder_by_name(target.encoder) else {
            throw FFmpegError(CFFmpegErrorEncoderNotFound, in: "avcodec_find_encoder_by_name")
        }
        let context = unsafe allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
        var freed: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        defer { unsafe avcodec_free_context(&freed) }
        unsafe context.pointee.width = frame.pointee.width
        unsafe context.pointee.height = frame.pointee.height
        unsafe context.pointee.pix_fmt = AVPixelFormat(rawValue: frame.pointee.format)
        unsafe context.pointee.color_range = AVCOL_RANGE_JPEG
        unsafe context.pointee.time_base = AVRational(num: 1, den: 25)
        unsafe context.pointee.thread_count = 1
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        unsafe target.set(quality: quality, on: context, &options)
        unsafe frame.pointee.quality = context.pointee.global_quality
        unsafe frame.pointee.pict_type = AV_PICTURE_TYPE_I
        try check(unsafe avcodec_open2(context, codec, &options), "avcodec_open2")
        try check(unsafe avcodec_send_frame(context, frame), "avcodec_send_frame")
        try check(unsafe avcodec_send_frame(context, nil), "avcodec_send_frame")
        let packet = PacketBuffer()
        try check(unsafe avcodec_receive_packet(context, packet.pointer), "avcodec_receive_packet")
        return unsafe copiedBytes(packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size), limit: .max)
    }
}

extension StillEncoder {
    /// How a format is made by libavcodec.
    fileprivate struct Target {
        let encoder: String
        let filters: String

        @unsafe func set(
            quality: Int,
            on context: UnsafeMutablePointer<AVCodecContext>,
            _ options: inout OpaquePointer?
        ) {
            switch encoder {
            case "mjpeg":
                // 1 is the finest quantiser and 31 the coarsest.
                let scale = CInt(1 + (100 - min(max(quality, 1), 100)) * 30 / 99)
                unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
                unsafe context.pointee.global_quality = scale * FF_QP2LAMBDA
            case "libwebp":
                unsafe av_dict_set_int(&options, "quality", Int64(quality), 0)
            default: break
            }
        }
    }
}

extension StillFormat {
    fileprivate var target: StillEncoder.Target {
        switch self {
        case .jpeg: .init(encoder: "mjpeg", filters: "scale=out_range=pc:out_color_matrix=bt601,format=yuvj444p")
        case .png: .init(encoder: "png", filters: "format=rgb24")
        case .webp: .init(encoder: "libwebp", filters: "format=bgra")
        }
    }
}
