// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The planes of a frame, one after another without padding, in the order of `rawvideo` (`av_image_copy_to_buffer`).
package struct PackedPlanes: Hashable, Sendable {
    /// Empty for a frame that is not in this process's memory.
    package let bytes: [UInt8]

    package init(_ frame: VideoFrame) {
        let count = frame.byteCount
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            let target = buffer.baseAddress
            let copied = unsafe frame.withPointer { pointer in
                let planes = unsafe PlanePointers(pointer)
                let starts: [UnsafePointer<UInt8>?] = unsafe planes.starts.map { unsafe UnsafePointer($0) }
                return unsafe av_image_copy_to_buffer(
                    target,
                    CInt(clamping: count),
                    starts,
                    planes.strides,
                    frame.format,
                    pointer.pointee.width,
                    pointer.pointee.height,
                    1
                )
            }
            initializedCount = max(0, Int(copied))
        }
    }
}
