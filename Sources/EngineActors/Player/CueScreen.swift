// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Which cues are on the screen, by the playhead. Pure.
struct CueScreen {
    /// More than this is not told to be on the screen at one time: of more, those that came first.
    private static let shownLimit = 1024
    /// More than this is not told ahead.
    private static let upcomingLimit = 256

    /// The cues around the playhead, in order.
    private var cues: [Cue] = []
    private var shown: [Cue] = []
    /// The first cue that starts behind the playhead.
    private var next = 0
    private var time = MediaTime.zero
    /// Ids of what was last told: shown, then upcoming.
    private var told: (shown: [UInt64], upcoming: [UInt64]) = ([], [])

    /// Other cues are known from now on. What is on the screen changes with the next `move`.
    mutating func replace(_ cues: [Cue]) {
        self.cues = cues
        next = 0
    }

    /// The playhead is at `time`. `nil` when nothing comes of it.
    mutating func move(to time: MediaTime) -> ScreenCues? {
        let isBack = time < self.time
        self.time = time
        if isBack { next = 0 }
        var on = next == 0 ? [] : shown.filter { $0.isOn(at: time) }
        while next < cues.count, cues[next].start <= time {
            if cues[next].isOn(at: time) { on.append(cues[next]) }
            next += 1
        }
        shown = on
        let upcoming = Array(cues[next...].prefix(Self.upcomingLimit))
        let visible = Array(on.prefix(Self.shownLimit))
        let news = (shown: visible.map(\.id), upcoming: upcoming.map(\.id))
        guard news != told else { return nil }
        told = news
        return ScreenCues(shown: visible, upcoming: upcoming)
    }

    /// When something comes or goes next, if the playhead goes on.
    var nextMoment: MediaTime? {
        let end = shown.compactMap(\.end).min()
        let start = next < cues.count ? cues[next].start : nil
        return [end, start].compactMap(\.self).min()
    }
}
