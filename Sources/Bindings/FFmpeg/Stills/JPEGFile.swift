// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import CJPEG
internal import Glibc

/// Encodes JPEG with libjpeg-turbo, because libavcodec's encoder needs several times the time and memory.
enum JPEGFile {
    /// A complete JPEG file. `nil` if a side is longer than 65,500 pixels, or memory is short.
    ///
    /// - Parameters:
    ///   - frame: must have the planes of `StillPlanes.jpeg` or `StillPlanes.smallJPEG`.
    ///   - quality: 1 … 100, the scale of libjpeg.
    static func bytes(of frame: VideoFrame, quality: Int) -> [UInt8]? {
        assertMayBlock("cjpeg_encode")
        return unsafe frame.withPointer { pointer in
            let (data, strides) = unsafe (pointer.pointee.data, pointer.pointee.linesize)
            var input = unsafe cjpeg_picture(
                planes: (UnsafePointer(data.0), UnsafePointer(data.1), UnsafePointer(data.2)),
                strides: (strides.0, strides.1, strides.2),
                width: pointer.pointee.width,
                height: pointer.pointee.height,
                is_halved: frame.hasHalvedChroma
            )
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = unsafe cjpeg_encode(&input, CInt(quality), &bytes)
            defer { unsafe free(bytes) }
            guard count > 0 else { return nil }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        }
    }
}
