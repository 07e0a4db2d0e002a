// SPDX-License-Identifier: Apache-2.0

/// The ranges of an image on a server that are expected to be read, in the order in which they were added. Pure.
struct AnnouncedRanges {
    /// Ranges with a shorter gap between them are joined: fetching the gap takes less time than another request.
    private static let gap: Int64 = 16 << 10
    /// The length of the first part of the first range.
    private static let partByteCount: Int64 = 64 << 10

    private(set) var ranges: [Range<Int64>] = []
    private var rest: Int64

    /// - Parameter limit: the maximum number of bytes.
    init(limit: Int64) { rest = limit }

    /// The ranges, the first one in two parts: a new connection takes several round trips to deliver much, and the
    /// other reads depend on the beginning of the image.
    var parts: [Range<Int64>] {
        guard let first = ranges.first else { return [] }
        let middle = min(first.lowerBound + Self.partByteCount, first.upperBound)
        return [first.lowerBound..<middle, middle..<first.upperBound].filter { !$0.isEmpty } + ranges.dropFirst()
    }

    func contains(_ offset: Int64) -> Bool { ranges.contains { $0.contains(offset) } }

    /// Adds ranges, as far as the limit allows.
    ///
    /// - Returns: whether any was added.
    mutating func insert(_ added: [Range<Int64>]) -> Bool {
        var joined: [Range<Int64>] = []
        let new = added.filter { range in !range.isEmpty && !ranges.contains { $0.contains(range) } }
        for range in new.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound - last.upperBound < Self.gap {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        let count = ranges.count
        for range in joined where rest > 0 {
            let part = range.lowerBound..<min(range.upperBound, range.lowerBound + rest)
            ranges.append(part)
            rest -= Int64(part.count)
        }
        return ranges.count > count
    }
}
