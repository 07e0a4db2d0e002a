// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Finds the cues that are on screen at the playhead. Pure.
struct CueScreen {
    /// At most this many cues are published as shown at one time: the first to appear.
    private static let shownLimit = 1024
    /// At most this many upcoming cues are published.
    private static let upcomingLimit = 256

    /// The cues around the playhead, in order of their start.
    private var cues: [Cue] = []
    private var shown: [Cue] = []
    /// Index of the first cue that starts after the playhead.
    private var next = 0
    private var time = MediaTime.zero
    /// Ids of the cues published last.
    private var published: (shown: [UInt64], upcoming: [UInt64])? = ([], [])

    /// Replaces the known cues. The screen changes with the next `move`.
    mutating func replace(_ cues: [Cue]) {
        self.cues = cues
        next = 0
    }

    /// The next `move` publishes the cues whether or not they have changed.
    mutating func publishAnew() { published = nil }

    /// Moves the playhead to `time`.
    ///
    /// - Returns: the cues to publish; `nil` when they have not changed.
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
        let ids = (shown: visible.map(\.id), upcoming: upcoming.map(\.id))
        if let published, ids == published { return nil }
        published = ids
        return ScreenCues(shown: visible, upcoming: upcoming)
    }

    /// When the next cue appears or disappears if the playhead keeps moving. `nil` when none will.
    var nextMoment: MediaTime? {
        let end = shown.compactMap(\.end).min()
        let start = next < cues.count ? cues[next].start : nil
        return [end, start].compactMap(\.self).min()
    }
}
