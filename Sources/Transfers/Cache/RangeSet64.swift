// SPDX-License-Identifier: Apache-2.0

/// A set of byte offsets, stored as sorted ranges that neither overlap nor touch.
package struct RangeSet64: Hashable, Sendable {
    package private(set) var ranges: [Range<Int64>] = []

    package init(_ ranges: Range<Int64>...) { for range in ranges { insert(range) } }

    /// The index of the first range that ends after `offset`.
    private func index(after offset: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }

    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = range.lowerBound == .min ? 0 : index(after: range.lowerBound - 1)
        var last = first
        var joined = range
        while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[last].lowerBound)..<max(joined.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [joined])
    }

    package mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = index(after: range.lowerBound)
        var last = first
        var rests: [Range<Int64>] = []
        while last < ranges.count, ranges[last].lowerBound < range.upperBound {
            let old = ranges[last]
            if old.lowerBound < range.lowerBound { rests.append(old.lowerBound..<range.lowerBound) }
            if old.upperBound > range.upperBound { rests.append(range.upperBound..<old.upperBound) }
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: rests)
    }

    /// The first range within `bounds` that is not in the set.
    package func firstGap(in bounds: Range<Int64>) -> Range<Int64>? {
        var start = bounds.lowerBound
        for range in ranges[index(after: start)...] {
            if range.lowerBound > start { break }
            start = range.upperBound
        }
        guard start < bounds.upperBound else { return nil }
        let next = index(after: start)
        let end = next < ranges.count ? min(bounds.upperBound, ranges[next].lowerBound) : bounds.upperBound
        return start..<end
    }

    /// The start of the gap that contains `offset`.
    package func startOfGap(at offset: Int64) -> Int64 {
        let next = index(after: offset)
        return next > 0 ? ranges[next - 1].upperBound : 0
    }

    /// The first range of the set that overlaps `bounds`, clamped to them.
    package func firstHeld(in bounds: Range<Int64>) -> Range<Int64>? {
        let next = index(after: bounds.lowerBound)
        guard next < ranges.count, ranges[next].lowerBound < bounds.upperBound else { return nil }
        return ranges[next].clamped(to: bounds)
    }

    /// The ranges of the set that overlap `bounds`, clamped to them.
    package func ranges(in bounds: Range<Int64>) -> [Range<Int64>] {
        ranges[index(after: bounds.lowerBound)...].prefix { $0.lowerBound < bounds.upperBound }.map {
            $0.clamped(to: bounds)
        }
    }

    /// The union of both sets.
    package func union(_ other: RangeSet64) -> RangeSet64 {
        if other.ranges.isEmpty { return self }
        if ranges.isEmpty { return other }
        var result = RangeSet64()
        var (left, right) = (ranges[...], other.ranges[...])
        while let next = (left.first?.lowerBound ?? .max) <= (right.first?.lowerBound ?? .max)
            ? left.popFirst() : right.popFirst()
        {
            if let last = result.ranges.last, next.lowerBound <= last.upperBound {
                result.ranges[result.ranges.count - 1] = last.lowerBound..<max(last.upperBound, next.upperBound)
            } else {
                result.ranges.append(next)
            }
        }
        return result
    }

    /// Whether all offsets of `range` are in the set.
    package func contains(_ range: Range<Int64>) -> Bool { firstGap(in: range) == nil }
}
