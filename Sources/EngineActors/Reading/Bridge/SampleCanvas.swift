// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A stretch of the timeline in samples, silent where no samples were placed. Samples are copied only when they are
/// needed in one block.
struct SampleCanvas {
    /// Samples of a block.
    struct Stretch {
        let block: SampleBlock
        let part: Range<Int>
        /// The position of the first sample of `part` on the timeline.
        let start: Int64
    }

    let format: AudioFormat
    /// Samples on the timeline, at `format.rate`.
    let range: Range<Int64>
    /// What was placed, in the order of the timeline, within `range`. Stretches do not overlap.
    private var stretches: [Stretch] = []
    /// One past the last sample that was placed, in or beyond the range. `nil` before the first.
    private(set) var dataEnd: Int64?

    /// The first sample in the range that was placed. `nil` if there is none.
    var dataStart: Int64? { stretches.first?.start }

    /// Whether any sample in the range was placed.
    var hasData: Bool { !stretches.isEmpty }

    init(format: AudioFormat, range: Range<Int64>) {
        self.format = format
        self.range = range
    }

    /// Places samples of a block: `part`, or all. Any overlap with samples that are already there is trimmed.
    mutating func lay(_ block: SampleBlock, _ part: Range<Int>? = nil, at position: Int64) {
        let part = part ?? 0..<block.count
        let end = position + Int64(part.count)
        let from = max(position, range.lowerBound, dataEnd ?? .min)
        let to = min(end, range.upperBound)
        dataEnd = max(dataEnd ?? .min, end)
        guard from < to else { return }
        let first = part.lowerBound + Int(from - position)
        stretches.append(Stretch(block: block, part: first..<first + Int(to - from), start: from))
    }

    /// What was placed, if it is one stretch of a block with all channels.
    var onlyStretch: Stretch? {
        guard stretches.count == 1, stretches[0].block.planes.count == format.planeCount else { return nil }
        return stretches[0]
    }

    /// All samples of the range, in new memory.
    var block: SampleBlock {
        let stride = format.stride
        let planes = (0..<format.planeCount).map { plane in
            var bytes = [UInt8](repeating: 0, count: range.count * stride)
            for stretch in stretches where stretch.block.planes.indices.contains(plane) {
                let source = stretch.part.lowerBound * stride..<stretch.part.upperBound * stride
                let target = Int(stretch.start - range.lowerBound) * stride
                guard source.upperBound <= stretch.block.planes[plane].count else { continue }
                bytes.replaceSubrange(target..<target + source.count, with: stretch.block.planes[plane][source])
            }
            return bytes
        }
        return SampleBlock(planes: planes, count: range.count)
    }
}
