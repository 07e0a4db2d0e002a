// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import CJPEG
internal import Glibc

/// Writes pictures as JPEG, with libjpeg-turbo: libavcodec's encoder takes a multiple of the time and of the memory.
enum JPEGFile {
    /// The bytes of a whole file. `nil` when a side is longer than 65500 pixels.
    ///
    /// - Parameters:
    ///   - picture: in the planes of `StillPlanes.jpeg` or `StillPlanes.smallJPEG`.
    ///   - quality: 1 … 100, of which libjpeg scales its tables.
    static func bytes(of picture: VideoFrame, quality: Int) -> [UInt8]? {
        assertMayBlock("cjpeg_encode")
        return unsafe picture.withPointer { frame in
            let (data, strides) = unsafe (frame.pointee.data, frame.pointee.linesize)
            var input = unsafe cjpeg_picture(
                planes: (UnsafePointer(data.0), UnsafePointer(data.1), UnsafePointer(data.2)),
                strides: (strides.0, strides.1, strides.2),
                width: frame.pointee.width,
                height: frame.pointee.height,
                is_halved: picture.hasHalvedChroma
            )
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = unsafe cjpeg_encode(&input, CInt(quality), &bytes)
            defer { unsafe free(bytes) }
            guard count > 0 else { return nil }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        }
    }
}
