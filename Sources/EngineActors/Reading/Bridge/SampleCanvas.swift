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
    /// Whether any sample in the range was placed.
    private(set) var hasData = false

    init(format: AudioFormat, range: Range<Int64>) {
        self.format = format
        self.range = range
        planes = (0..<format.planeCount).map { _ in [UInt8](repeating: 0, count: range.count * format.stride) }
    }

    /// Places samples. Any overlap with samples that are already there is trimmed.
    mutating func lay(_ block: SampleBlock, at position: Int64) {
        let end = position + Int64(block.count)
        let from = max(position, range.lowerBound, dataEnd ?? .min)
        let to = min(end, range.upperBound)
        dataEnd = max(dataEnd ?? .min, end)
        guard from < to else { return }
        hasData = true
        let stride = format.stride
        let source = Int(from - position) * stride..<Int(to - position) * stride
        let target = Int(from - range.lowerBound) * stride
        for plane in planes.indices where block.planes.indices.contains(plane) {
            guard source.upperBound <= block.planes[plane].count else { continue }
            planes[plane].replaceSubrange(target..<target + source.count, with: block.planes[plane][source])
        }
    }

    var block: SampleBlock { SampleBlock(planes: planes, count: range.count) }
}

extension SampleBlock {
    /// `count` samples from `start` on; silence where the block has none.
    func part(from start: Int, count: Int, stride: Int) -> SampleBlock {
        let from = min(max(0, start), self.count)
        let to = min(max(from, start + count), self.count)
        let before = (from - start) * stride
        let wanted = count * stride
        let parts = planes.map { plane in
            var part: [UInt8] = []
            part.reserveCapacity(wanted)
            part.append(contentsOf: repeatElement(0, count: min(max(0, before), wanted)))
            part.append(contentsOf: plane[from * stride..<to * stride])
            part.append(contentsOf: repeatElement(0, count: max(0, wanted - part.count)))
            return part
        }
        return SampleBlock(planes: parts, count: count)
    }
}
