// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The entry points of a title, as its disc states them.
enum TitleMap: Sendable {
    /// A random access point of a title.
    struct Entry: Hashable, Sendable {
        /// On the clock of its part, unwrapped from 33 bits.
        let time: Int64
        /// The offset of its first byte in the title.
        let position: Int64
    }

    /// Those of a Blu-ray disc, all with their times.
    case points(PointMap)
    /// Those of a DVD, whose times have to be read.
    case units(UnitMap)

    /// The offset of the last entry point at or before a time of the title.
    ///
    /// - Parameters:
    ///   - plan: entry points whose times are known.
    ///   - bytes: a cursor of the title.
    /// - Returns: `nil` if the map leads to something other than a unit of a DVD.
    func position(
        atOrBefore time: Int64,
        _ timeline: TitleTimeline,
        _ plan: SegmentPlan?,
        _ bytes: any ByteCursor
    ) throws(EngineError) -> Int64? {
        switch self {
        case .points(let map): map.position(atOrBefore: time, timeline)
        case .units(let map): try map.position(atOrBefore: time, plan, bytes)
        }
    }
}

/// The entry points of a Blu-ray disc's title.
struct PointMap: Sendable {
    /// The PID of the video.
    let video: Int
    /// Restores the lowest bits of times, which the disc omits.
    let times: EntryTimes
    /// The entry points of each stretch of the title.
    let entries: [[TitleMap.Entry]]

    /// As `TitleMap.position`. Compares the times of entries as the disc states them, without their lowest bits.
    func position(atOrBefore time: Int64, _ timeline: TitleTimeline) -> Int64 {
        var found: Int64 = 0
        for (stretch, entries) in zip(timeline.stretches, entries) where stretch.start <= time {
            found = stretch.position
            for entry in entries where stretch.placed(entry.time) <= time { found = entry.position }
        }
        return found
    }
}
