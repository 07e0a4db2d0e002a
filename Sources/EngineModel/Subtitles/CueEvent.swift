// SPDX-License-Identifier: Apache-2.0

/// A cue of a selected track appears or disappears.
public struct CueEvent: Hashable, Sendable {
    public enum Stage: Hashable, Sendable, CaseIterable {
        /// The cue is on the screen from now on.
        case appeared
        case disappeared
        /// The cue will appear if playback continues.
        case ahead
    }

    public var stage: Stage
    public var cue: Cue
    /// When the cue appears or disappears, on the session's timeline: its start or end, plus the subtitle delay.
    public var time: MediaTime

    public init(_ stage: Stage, _ cue: Cue, at time: MediaTime) {
        self.stage = stage
        self.cue = cue
        self.time = time
    }

    /// - Parameters:
    ///   - cue: on the session's timeline.
    ///   - screen: the published cues that the cue belongs to, or belonged to.
    package init(_ stage: Stage, ofTimeline cue: Cue, on screen: ScreenCues) {
        let time = stage == .disappeared ? cue.end ?? cue.start : cue.start
        self.init(stage, cue.shifted(by: screen.origin), at: time + screen.delay)
    }
}

/// The cues on the screen of a session, and those that come next. On the session's timeline, without the delay.
public struct ScreenCues: Hashable, Sendable {
    /// The cues on the screen, in order.
    public var shown: [Cue]
    /// The cues known to come within the next minute, in order.
    public var upcoming: [Cue]
    /// The start of the timeline, on the source's own clock.
    public var origin: MediaTime
    /// How much later than their times the cues are shown.
    public var delay = MediaTime.zero

    public init(shown: [Cue] = [], upcoming: [Cue] = [], origin: MediaTime = .zero) {
        self.shown = shown
        self.upcoming = upcoming
        self.origin = origin
    }
}
