// SPDX-License-Identifier: Apache-2.0

/// Times of keyframes in ticks of the leading track, strictly ascending, in bounded memory.
///
/// If a source has more keyframes than the limit, the list is thinned out evenly. Every time in it is still a keyframe,
/// but the nearest keyframe may be missing from a source in which nearly every frame is one.
package struct KeyframeTimes: Hashable, Sendable {
    /// Half a megabyte: nine hours at two keyframes per second.
    package static let limit = 1 << 16

    package private(set) var times: [Int64] = []
    /// One in this many keyframes is kept.
    private var stride = 1
    /// The number of keyframes since the last one that was kept.
    private var skipped = 0

    package init() {}

    /// - Returns: `nil` unless the times are strictly ascending.
    package init?(_ times: some Sequence<Int64>) {
        self.init()
        var latest = Int64.min
        for time in times {
            guard time > latest else { return nil }
            latest = time
            append(time)
        }
    }

    /// Appends a time, which must be later than all before.
    package mutating func append(_ time: Int64) {
        skipped += 1
        guard skipped >= stride || times.isEmpty else { return }
        skipped = 0
        times.append(time)
        guard times.count > Self.limit else { return }
        times = times.indices.filter { $0.isMultiple(of: 2) }.map { times[$0] }
        stride *= 2
    }

    /// The last time for which `holds` is true. The predicate must be true up to some time and false after it.
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
