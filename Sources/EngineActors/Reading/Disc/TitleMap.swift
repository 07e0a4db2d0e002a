// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// What a disc says about where a title can be entered.
struct TitleMap {
    /// The PID of the video.
    let video: Int
    /// Restores what is cut off the times of the entries.
    let times: EntryTimes
    /// Of each stretch of the title.
    let entries: [[TitleBuilder.Entry]]

    init(video: Int, times: EntryTimes, entries: [[TitleBuilder.Entry]]) {
        self.video = video
        self.times = times
        self.entries = entries
    }

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
