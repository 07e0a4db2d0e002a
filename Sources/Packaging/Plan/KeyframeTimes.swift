// SPDX-License-Identifier: Apache-2.0

/// Times of keyframes in ticks of the leading track, each later than the last, in bounded memory.
///
/// Where a source has more of them than are kept, evenly many are left out: what is found is always a keyframe, and a
/// nearer one may be missing where nearly every picture is one.
package struct KeyframeTimes: Hashable, Sendable {
    /// Half a megabyte: nine hours with two keyframes a second.
    package static let limit = 1 << 16

    package private(set) var times: [Int64] = []
    /// One of so many is kept.
    private var stride = 1
    /// How many have come since the last one that was kept.
    private var skipped = 0

    package init() {}

    /// - Returns: `nil` for times that do not rise.
    package init?(_ times: some Sequence<Int64>) {
        self.init()
        var latest = Int64.min
        for time in times {
            guard time > latest else { return nil }
            latest = time
            append(time)
        }
    }

    /// Takes the next time, which must be later than all before.
    package mutating func append(_ time: Int64) {
        skipped += 1
        guard skipped >= stride || times.isEmpty else { return }
        skipped = 0
        times.append(time)
        guard times.count > Self.limit else { return }
        times = times.indices.filter { $0.isMultiple(of: 2) }.map { times[$0] }
        stride *= 2
    }

    /// The last one for which a predicate holds that holds up to some time and for none later.
    package func last(where holds: (Int64) -> Bool) -> Int64? {
        var low = 0
        var high = times.count
        while low < high {
            let middle = low + (high - low) / 2
            if holds(times[middle]) { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : times[low - 1]
    }
}
