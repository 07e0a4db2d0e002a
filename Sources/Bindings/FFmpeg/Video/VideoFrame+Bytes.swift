// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

extension VideoFrame {
    /// The planes one after another without padding, in the order of `rawvideo` (`av_image_copy_to_buffer`). Empty for
    /// frames that are not in main memory.
    package func packedBytes() -> [UInt8] {
        unsafe withPointer { pointer in
            let (width, height) = unsafe (pointer.pointee.width, pointer.pointee.height)
            let size = av_image_get_buffer_size(format, width, height, 1)
            guard size > 0 else { return [] }
            var bytes = [UInt8](repeating: 0, count: Int(size))
            let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                let data = unsafe pointer.pointee.data
                let strides = unsafe pointer.pointee.linesize
                return unsafe withUnsafeBytes(of: data) { data in
                    unsafe withUnsafeBytes(of: strides) { strides in
                        unsafe av_image_copy_to_buffer(
                            buffer.baseAddress,
                            size,
                            data.assumingMemoryBound(to: UnsafePointer<UInt8>?.self).baseAddress,
                            strides.assumingMemoryBound(to: CInt.self).baseAddress,
                            format,
                            width,
                            height,
                            1
                        )
                    }
                }
            }
            return status < 0 ? [] : bytes
        }
    }
}
