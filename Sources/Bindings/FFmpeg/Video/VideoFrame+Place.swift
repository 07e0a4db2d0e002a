// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineRuntime

extension VideoFrame {
    /// The offset of the frame in `memory`; `nil` if it lies elsewhere.
    package func place(in memory: SharedMemory) -> Int? { place(of: 0, count: 1, in: memory) }

    func place(of plane: Int, count: Int, in memory: SharedMemory) -> Int? {
        unsafe withPointer { frame in
            let starts = unsafe PlanePointers(frame).starts
            guard plane < 4, let start = unsafe starts[plane] else { return nil }
            return unsafe memory.offset(of: start, count: count)
        }
    }

    func stride(of plane: Int) -> Int {
        unsafe withPointer { frame in plane < 4 ? unsafe Int(PlanePointers(frame).strides[plane]) : 0 }
    }
}
