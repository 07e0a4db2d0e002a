// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// The entry points of a title, as its disc states them.
struct TitleMap {
    /// A random access point of a title.
    struct Entry: Hashable {
        /// On the clock of its part, unwrapped from 33 bits.
        let time: Int64
        /// The number of ticks from decoding to presenting the picture, if known.
        var delay: Int64?
        /// The offset of its first byte in the title.
        let position: Int64
    }

    /// The precision of the entries' times.
    enum Precision {
        /// The disc omits the lowest bits of times; `EntryTimes` restores them.
        case truncated(EntryTimes)
        /// The times were read from the pictures.
        case exact
    }

    /// The video's number in the container: a PID, or the number of a stream in MPEG-PS.
    let video: Int
    let precision: Precision
    /// The entry points of each stretch of the title.
    let entries: [[Entry]]

    /// The offset of the last entry point at or before a time of the title.
    func position(atOrBefore time: Int64, _ timeline: TitleTimeline) -> Int64 {
        var found: Int64 = 0
        for (stretch, entries) in zip(timeline.stretches, entries) where stretch.start <= time {
            found = stretch.position
            for entry in entries where stretch.placed(entry.time) <= time { found = entry.position }
        }
        return found
    }
}
