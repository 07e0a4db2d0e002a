// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Decoded samples of one format, one frame after the other.
package struct SampleRun: Sendable {
    package let format: AudioFormat
    private var planes: [[UInt8]]
    private var count = 0

    /// - Parameter capacity: samples for which there is room from the start.
    package init(format: AudioFormat, capacity: Int) {
        self.format = format
        planes = (0..<format.planeCount).map { _ in
            var plane: [UInt8] = []
            plane.reserveCapacity(capacity * format.stride)
            return plane
        }
    }

    package var block: SampleBlock { SampleBlock(planes: planes, count: count) }

    /// Copies the samples of a frame, whose planes are as those of `format`.
    ///
    /// - Returns: where they are; `nil` if planes are missing.
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
