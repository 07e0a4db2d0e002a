// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The decoded samples of consecutive frames of one format.
package struct SampleRun: Sendable {
    package let format: AudioFormat
    private var planes: [[UInt8]]
    private var count = 0

    /// - Parameter capacity: the number of samples to reserve memory for.
    package init(format: AudioFormat, capacity: Int) {
        self.format = format
        planes = (0..<format.planeCount).map { _ in
            var plane: [UInt8] = []
            plane.reserveCapacity(capacity * format.stride)
            return plane
        }
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
