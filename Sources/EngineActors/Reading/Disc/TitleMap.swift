// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// What a disc says about where a title can be entered.
struct TitleMap {
    /// A random access point of a title.
    struct Entry: Hashable {
        /// On the clock of its part, without the wraps of 33 bits.
        let time: Int64
        /// How much earlier it is decoded, if that is known.
        var delay: Int64?
        /// Its first byte in the title.
        let position: Int64
    }

    /// How exact the times of the entries are.
    enum Precision {
        /// The disc cuts off their lowest bits, which this restores.
        case cut(EntryTimes)
        /// They were read from the pictures.
        case exact
    }

    /// The container's number of the video: a PID, or the number of a stream in MPEG-PS.
    let video: Int
    let precision: Precision
    /// Of each stretch of the title.
    let entries: [[Entry]]

    /// The byte of the last entry point at or before a time of the title.
    func position(atOrBefore time: Int64, _ timeline: TitleTimeline) -> Int64 {
        var found: Int64 = 0
        for (stretch, entries) in zip(timeline.stretches, entries) where stretch.start <= time {
            found = stretch.position
            for entry in entries where stretch.placed(entry.time) <= time { found = entry.position }
        }
        return found
    }
}
