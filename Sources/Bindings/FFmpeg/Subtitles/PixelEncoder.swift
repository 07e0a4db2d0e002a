// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Encodes subtitle bitmaps as PNG with libavcodec.
package enum PixelEncoder {
    /// No subtitle canvas is larger.
    private static let sideLimit = 16_384

    /// Encodes 8-bit RGBA as PNG. Equal pixels give equal bytes.
    ///
    /// - Parameters:
    ///   - pixels: four bytes per pixel, rows without padding.
    ///   - isCompressed: whether to spend time on making the PNG small.
    /// - Throws: libavcodec's error for a size that is not supported or does not match `pixels`.
    package static func png(
        width: Int,
        height: Int,
        pixels: [UInt8],
        isCompressed: Bool = true
    ) throws(FFmpegError) -> [UInt8] {
        guard (1...sideLimit).contains(width), (1...sideLimit).contains(height), pixels.count == width * height * 4
        else {
            throw FFmpegError(CFFmpegErrorInvalidData, in: "av_frame_get_buffer")
        }
        let pointer = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let frame = unsafe VideoFrame(taking: pointer)
        unsafe pointer.pointee.width = CInt(width)
        unsafe pointer.pointee.height = CInt(height)
        unsafe pointer.pointee.format = AV_PIX_FMT_RGBA.rawValue
        try check(unsafe av_frame_get_buffer(pointer, 0), "av_frame_get_buffer")
        unsafe fill(pointer, width: width, height: height, pixels)
        return try FrameEncoder.encode(frame, "png", options: isCompressed ? [] : [("compression_level", "0")])
    }

    private static func fill(_ frame: UnsafeMutablePointer<AVFrame>, width: Int, height: Int, _ pixels: [UInt8]) {
        guard let rows = unsafe frame.pointee.data.0 else { return }
        let stride = unsafe Int(frame.pointee.linesize.0)
        unsafe pixels.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            for row in 0..<height {
                unsafe (rows + row * stride).update(from: start + row * width * 4, count: width * 4)
            }
        }
    }
}
