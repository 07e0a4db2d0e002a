// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Decodes the PNGs that `PixelEncoder` writes.
package enum PixelDecoder {
    /// - Returns: the size and the pixels: four bytes each, rows without padding.
    /// - Throws: libavcodec's error if the bytes are not a PNG of 8-bit RGBA.
    package static func pixels(ofPNG png: [UInt8]) throws(FFmpegError) -> (width: Int, height: Int, pixels: [UInt8]) {
        let frame = try frame(ofPNG: png)
        return try unsafe frame.withPointer { (frame) throws(FFmpegError) in
            guard let rows = unsafe frame.pointee.data.0 else {
                throw FFmpegError(CFFmpegErrorInvalidData, in: "avcodec_receive_frame")
            }
            let (width, height) = unsafe (Int(frame.pointee.width), Int(frame.pointee.height))
            let stride = unsafe Int(frame.pointee.linesize.0)
            var pixels: [UInt8] = []
            pixels.reserveCapacity(width * height * 4)
            for row in 0..<height {
                unsafe pixels.append(contentsOf: UnsafeBufferPointer(start: rows + row * stride, count: width * 4))
            }
            return (width, height, pixels)
        }
    }

    /// - Throws: libavcodec's error if the bytes are not a PNG of 8-bit RGBA.
    package static func frame(ofPNG png: [UInt8]) throws(FFmpegError) -> VideoFrame {
        guard let codec = unsafe avcodec_find_decoder(AV_CODEC_ID_PNG) else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder")
        }
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe allocated(
            avcodec_alloc_context3(codec),
            by: "avcodec_alloc_context3"
        )
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe allocated(av_packet_alloc(), by: "av_packet_alloc")
        defer {
            unsafe avcodec_free_context(&context)
            unsafe av_packet_free(&packet)
        }
        try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
        try check(unsafe av_new_packet(packet, CInt(clamping: png.count)), "av_new_packet")
        for index in png.indices { unsafe packet?.pointee.data[index] = png[index] }
        try check(unsafe avcodec_send_packet(context, packet), "avcodec_send_packet")
        let pointer = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let frame = unsafe VideoFrame(taking: pointer)
        try check(unsafe avcodec_receive_frame(context, pointer), "avcodec_receive_frame")
        guard frame.format == AV_PIX_FMT_RGBA else {
            throw FFmpegError(CFFmpegErrorInvalidData, in: "avcodec_receive_frame")
        }
        return frame
    }
}
