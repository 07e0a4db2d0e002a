// SPDX-License-Identifier: Apache-2.0

/// The runs of bytes that a file consists of, in order. There may be thousands, so a part of the file is found in
/// logarithmic time.
package struct ByteRuns: Hashable, Sendable {
    package let ranges: [Range<Int64>]
    /// The offset of each run in the file.
    private let starts: [Int64]
    package let byteCount: Int64

    package init(_ ranges: [Range<Int64>]) {
        self.ranges = ranges
        var starts: [Int64] = []
        var start: Int64 = 0
        for range in ranges {
            starts.append(start)
            start += Int64(range.count)
        }
        self.starts = starts
        byteCount = start
    }

    /// The ranges that hold a part of the file, up to the end of the file.
    package func part(_ wanted: Range<Int64>) -> [Range<Int64>] {
        places(of: wanted).map { place in
            let shift = ranges[place].lowerBound - starts[place]
            let low = max(wanted.lowerBound, starts[place])
            let high = min(wanted.upperBound, starts[place] + Int64(ranges[place].count))
            return low + shift..<high + shift
        }
    }

    /// The indices of those elements of `ranges` that hold a part of the file, in order. `part` returns one range for
    /// each.
    package func places(of wanted: Range<Int64>) -> [Int] {
        guard !wanted.isEmpty else { return [] }
        let first = max(0, starts.place { $0 > wanted.lowerBound } - 1)
        let end = max(first, starts.place { $0 >= wanted.upperBound })
        return (first..<end).filter { place in
            !ranges[place].isEmpty && starts[place] + Int64(ranges[place].count) > wanted.lowerBound
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element that meets a condition; `endIndex` if none does. All later elements must meet it
    /// too.
    package func place(_ condition: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
