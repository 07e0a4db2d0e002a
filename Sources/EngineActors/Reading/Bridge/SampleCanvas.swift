// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A stretch of the timeline in samples, silent where no samples were placed.
struct SampleCanvas {
    let format: AudioFormat
    /// Samples on the timeline, at `format.rate`.
    let range: Range<Int64>
    private var planes: [[UInt8]]
    /// One past the last sample that was placed, in or beyond the range. `nil` before the first.
    private(set) var dataEnd: Int64?
    /// The first sample in the range that was placed. `nil` if there is none.
    private(set) var dataStart: Int64?

    /// Whether any sample in the range was placed.
    var hasData: Bool { dataStart != nil }

    init(format: AudioFormat, range: Range<Int64>) {
        self.format = format
        self.range = range
        planes = (0..<format.planeCount).map { _ in [UInt8](repeating: 0, count: range.count * format.stride) }
    }

    /// Places samples of a block: `part`, or all. Any overlap with samples that are already there is trimmed.
    mutating func lay(_ block: SampleBlock, _ part: Range<Int>? = nil, at position: Int64) {
        let part = part ?? 0..<block.count
        let end = position + Int64(part.count)
        let from = max(position, range.lowerBound, dataEnd ?? .min)
        let to = min(end, range.upperBound)
        dataEnd = max(dataEnd ?? .min, end)
        guard from < to else { return }
        dataStart = min(dataStart ?? from, from)
        let stride = format.stride
        let first = part.lowerBound
        let source = (first + Int(from - position)) * stride..<(first + Int(to - position)) * stride
        let target = Int(from - range.lowerBound) * stride
        for plane in planes.indices where block.planes.indices.contains(plane) {
            guard source.upperBound <= block.planes[plane].count else { continue }
            planes[plane].replaceSubrange(target..<target + source.count, with: block.planes[plane][source])
        }
    }

    var block: SampleBlock { SampleBlock(planes: planes, count: range.count) }
}
