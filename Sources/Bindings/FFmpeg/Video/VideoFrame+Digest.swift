// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension VideoFrame {
    /// The MD5 of the planes, one after another without padding, in hexadecimal, as in `ffmpeg -f framemd5`
    /// (`av_image_copy_to_buffer`, `av_md5_sum`). Empty for a frame that is not in this process's memory.
    package var digest: String {
        let count = byteCount
        guard count > 0 else { return "" }
        return unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 64) { buffer in
            unsafe withPointer { frame in
                guard let target = unsafe buffer.bindMemory(to: UInt8.self).baseAddress else { return "" }
                let planes: [UnsafePointer<UInt8>?] = unsafe [
                    UnsafePointer(frame.pointee.data.0), UnsafePointer(frame.pointee.data.1),
                    UnsafePointer(frame.pointee.data.2), UnsafePointer(frame.pointee.data.3),
                ]
                let strides = unsafe [
                    frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
                    frame.pointee.linesize.3,
                ]
                let copied = unsafe av_image_copy_to_buffer(
                    target,
                    CInt(clamping: count),
                    planes,
                    strides,
                    format,
                    frame.pointee.width,
                    frame.pointee.height,
                    1
                )
                guard copied >= 0 else { return "" }
                return unsafe md5(target, count: Int(copied))
            }
        }
    }
}

private func md5(_ bytes: UnsafePointer<UInt8>, count: Int) -> String {
    var digest = [UInt8](repeating: 0, count: 16)
    unsafe digest.withUnsafeMutableBufferPointer { unsafe av_md5_sum($0.baseAddress, bytes, count) }
    let digits = Array("0123456789abcdef")
    return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
