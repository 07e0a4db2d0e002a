// SPDX-License-Identifier: Apache-2.0

/// Computes decode times for the samples of one video segment.
///
/// Containers disagree about decode times, and Matroska has none. Here the first sample is decoded a constant delay
/// before the segment's earliest presentation time; the edit list of the init segment compensates the delay. Each sample
/// lasts as long as its frame is shown, because Chromium takes the duration of a sample for that of its frame, and after a
/// seek begins with the first frame that has not ended. In segments with parts, decode times are the presentation times in
/// ascending order, minus the delay. All this is exact, needs no history, and gives the same result wherever reading
/// started.
///
/// If frame durations vary so much that the delay is not enough, decode times are moved earlier until each is at or before
/// the presentation times of its own and all later samples, so that no composition offset is negative. Without a delay,
/// which means that the stream declares no reordering, decode times are the presentation times in ascending order.
package struct VideoTiming: Sendable {
    package struct Slot: Hashable, Sendable {
        package var decodeTime: Int64
        package var compositionOffset: Int32
        package var duration: UInt32
    }

    /// - Parameters:
    ///   - times: presentation times in decode order, in ticks on the session's timeline.
    ///   - next: the earliest presentation time after the segment, or the end of the track.
    ///   - lead: the amount of media before time 0, in ticks; added to every media time.
    ///   - delay: how far decoding precedes presentation; `lead + delay` is the track's `mediaTimeOffset`.
    ///   - isWhole: whether `times` are those of the whole segment. The decode times of a segment that becomes longer must
    ///     not depend on how long its last frames are shown, which is not known yet.
    package static func slots(times: [Int64], next: Int64, lead: Int64, delay: Int64, isWhole: Bool) -> [Slot] {
        let decodes = decodeTimes(of: times, next: next, delay: delay, isWhole: isWhole)
        return times.indices.map { index in
            let decode = decodes[index]
            let following = index + 1 < decodes.count ? decodes[index + 1] : max(next &- delay, decode)
            return Slot(
                decodeTime: max(0, decode &+ delay &+ lead),
                compositionOffset: Int32(clamping: times[index] &- decode),
                duration: UInt32(clamping: following &- decode)
            )
        }
    }

    /// Ascending; if `delay` is positive, each at or before the presentation time at its index. The first is always the
    /// earliest presentation time minus `delay`, which is where the previous segment ends.
    private static func decodeTimes(of times: [Int64], next: Int64, delay: Int64, isWhole: Bool) -> [Int64] {
        let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        var decodes = order.map { times[$0] &- delay }
        guard delay > 0, let first = decodes.first else { return decodes }
        if isWhole {
            var durations = times.map { _ in Int64(0) }
            for (index, following) in zip(order, order.dropFirst().map { times[$0] } + [next]) {
                durations[index] = max(0, following &- times[index])
            }
            var decode = first
            for index in times.indices {
                decodes[index] = decode
                decode = decode &+ durations[index]
            }
        }
        var latest = Int64.max
        for index in decodes.indices.reversed() {
            latest = min(latest, times[index])
            decodes[index] = max(first, min(decodes[index], latest))
            // Later samples are decoded later, by at least one tick if there is room.
            latest = min(latest, decodes[index] &- 1)
        }
        return decodes
    }
}
