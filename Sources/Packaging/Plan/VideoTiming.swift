// SPDX-License-Identifier: Apache-2.0

/// Gives the samples of one video segment their decode times.
///
/// Containers disagree about decode times, and Matroska has none. Here they are the segment's own presentation times in
/// ascending order: exact, needing no history, the same wherever reading started. A constant delay, carried by the edit
/// list of `init`, keeps every decode time at or before its presentation time.
package struct VideoTiming: Sendable {
    package struct Slot: Hashable, Sendable {
        package var decodeTime: Int64
        package var compositionOffset: Int32
        package var duration: UInt32
    }

    /// - Parameters:
    ///   - times: presentation times in decode order, in ticks on the session's timeline.
    ///   - next: the earliest presentation time of what follows, or the end of the track.
    ///   - lead: what the track has before 0, in ticks: added to every media time.
    ///   - delay: by how much decoding precedes presentation; `lead + delay` is the track's `mediaTimeOffset`.
    package static func slots(times: [Int64], next: Int64, lead: Int64, delay: Int64) -> [Slot] {
        let sorted = times.sorted()
        return times.indices.map { index in
            let decode = sorted[index]
            let following = index + 1 < sorted.count ? sorted[index + 1] : max(next, decode)
            return Slot(
                decodeTime: max(0, decode &+ lead),
                compositionOffset: Int32(clamping: times[index] &- decode &+ delay),
                duration: UInt32(clamping: following &- decode)
            )
        }
    }
}
