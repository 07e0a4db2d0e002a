// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The decoded samples of consecutive frames of one format.
package struct SampleRun: Sendable {
    package let format: AudioFormat
    private var planes: [[UInt8]]
    private var count = 0

    /// The memory of an earlier run, which saves mapping new pages. Empty if there was none.
    package struct Memory: Sendable {
        fileprivate var planes: [[UInt8]] = []

        package init() {}

        /// In bytes.
        var capacity: Int { planes.reduce(0) { $0 + $1.capacity } }
    }

    /// - Parameters:
    ///   - capacity: the number of samples to reserve memory for.
    ///   - memory: is used for the samples, and is empty afterwards.
    package init(format: AudioFormat, capacity: Int, in memory: inout Memory) {
        self.format = format
        planes = []
        swap(&planes, &memory.planes)
        planes.removeLast(max(0, planes.count - format.planeCount))
        while planes.count < format.planeCount { planes.append([]) }
        for index in planes.indices {
            planes[index].removeAll(keepingCapacity: true)
            planes[index].reserveCapacity(capacity * format.stride)
        }
    }

    /// The memory of this run. It can be used again without a copy as soon as neither the run nor a block of it exists.
    package var memory: Memory {
        var memory = Memory()
        memory.planes = planes
        return memory
    }

    package var block: SampleBlock { SampleBlock(planes: planes, count: count) }

    /// Appends the samples of a frame, whose planes must be laid out as in `format`.
    ///
    /// - Returns: their range in the run; `nil` if the frame has no samples or lacks a plane.
    mutating func append(_ frame: UnsafePointer<AVFrame>) -> Range<Int>? {
        let length = unsafe Int(frame.pointee.nb_samples)
        guard length > 0, let sources = unsafe frame.pointee.extended_data else { return nil }
        for index in planes.indices where unsafe sources[index] == nil { return nil }
        for index in planes.indices {
            let samples = unsafe UnsafeBufferPointer(start: sources[index], count: length * format.stride)
            unsafe planes[index].append(contentsOf: samples)
        }
        defer { count += length }
        return count..<count + length
    }
}
