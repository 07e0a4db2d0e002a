// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineRuntime

/// The start addresses and strides of a frame's planes, as libswscale expects them. Valid as long as the frame's
/// memory.
@unsafe struct PlanePointers {
    var starts: [UnsafeMutablePointer<UInt8>?]
    var strides: [CInt]

    /// - Precondition: the layout fits into `memory` at `offset`.
    init(_ layout: PlaneLayout, in memory: SharedMemory, at offset: Int) {
        unsafe starts = layout.planes.map {
            unsafe memory.address(of: offset + $0.offset, count: $0.stride * $0.rows)
        }
        unsafe strides = layout.planes.map { CInt($0.stride) }
        unsafe fill()
    }

    init(_ frame: UnsafePointer<AVFrame>) {
        let data = unsafe frame.pointee.data
        let sizes = unsafe frame.pointee.linesize
        unsafe starts = [data.0, data.1, data.2, data.3]
        unsafe strides = [sizes.0, sizes.1, sizes.2, sizes.3]
    }

    /// libswscale reads four entries of each.
    private mutating func fill() {
        while unsafe starts.count < 4 {
            unsafe starts.append(nil)
            unsafe strides.append(0)
        }
    }
}
