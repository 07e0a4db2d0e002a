// SPDX-License-Identifier: Apache-2.0

extension SegmentPlan {
    /// The start of each part of a segment, followed by the end of the last, in ticks. For the segment after the
    /// announced ones, only the parts that are known. Empty if the segment has no parts, or none is known.
    package func parts(of segment: Int) -> [Int64] {
        guard let partLength, boundaries.indices.contains(segment) else { return [] }
        let grid = PartGrid(start: boundaries[segment].time, length: partLength)
        if let end = endTime(of: segment) { return grid.lines(end: end) }
        guard segment == segmentCount, let settled else { return [] }
        let lines = grid.lines(settled: settled)
        return lines.count > 1 ? lines : []
    }

    /// Where the known parts of a segment end and others begin, in ticks.
    package func innerLines(of segment: Int) -> [Int64] {
        // The last part of a segment whose end is unknown is followed by another.
        Array(parts(of: segment).dropFirst().dropLast(segment < segmentCount ? 1 : 0))
    }

    /// The number of known parts of a segment.
    package func partCount(of segment: Int) -> Int { max(0, parts(of: segment).count - 1) }
}
