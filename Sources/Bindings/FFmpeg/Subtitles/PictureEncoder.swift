// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Pictures as PNG, by libavcodec.
package enum PictureEncoder {
    /// No canvas of subtitles is larger.
    private static let sideLimit = 16_384

    /// RGBA of 8 bits as one PNG. Equal pixels give equal bytes.
    ///
    /// - Parameter pixels: four bytes each, rows without gaps.
    /// - Throws: what libavcodec says of a size it does not take.
    package static func png(width: Int, height: Int, pixels: [UInt8]) throws(FFmpegError) -> [UInt8] {
        assertMayBlock("avcodec_send_frame")
        guard (1...sideLimit).contains(width), (1...sideLimit).contains(height), pixels.count == width * height * 4,
            let codec = unsafe avcodec_find_encoder(AV_CODEC_ID_PNG)
        else { throw FFmpegError(CFFmpegErrorInvalidData, in: "avcodec_find_encoder") }
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe allocated(
            avcodec_alloc_context3(codec),
            by: "avcodec_alloc_context3"
        )
        defer { unsafe avcodec_free_context(&context) }
        unsafe context?.pointee.width = CInt(width)
        unsafe context?.pointee.height = CInt(height)
        unsafe context?.pointee.pix_fmt = AV_PIX_FMT_RGBA
        unsafe context?.pointee.time_base = AVRational(num: 1, den: 1)
        unsafe context?.pointee.thread_count = 1
        unsafe context?.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")

        var frame: UnsafeMutablePointer<AVFrame>? = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        defer { unsafe av_frame_free(&frame) }
        guard let picture = unsafe frame else { throw FFmpegError(CFFmpegErrorInvalidData, in: "av_frame_alloc") }
        unsafe picture.pointee.width = CInt(width)
        unsafe picture.pointee.height = CInt(height)
        unsafe picture.pointee.format = AV_PIX_FMT_RGBA.rawValue
        try check(unsafe av_frame_get_buffer(picture, 0), "av_frame_get_buffer")
        unsafe fill(picture, width: width, height: height, pixels)
        try check(unsafe avcodec_send_frame(context, picture), "avcodec_send_frame")
        let packet = PacketBuffer()
        try check(unsafe avcodec_receive_packet(context, packet.pointer), "avcodec_receive_packet")
        return unsafe copiedBytes(packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size))
    }

    private static func fill(_ picture: UnsafeMutablePointer<AVFrame>, width: Int, height: Int, _ pixels: [UInt8]) {
        guard let rows = unsafe picture.pointee.data.0 else { return }
        let stride = unsafe Int(picture.pointee.linesize.0)
        unsafe pixels.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            for row in 0..<height {
                unsafe (rows + row * stride).update(from: start + row * width * 4, count: width * 4)
            }
        }
    }
}
