// SPDX-License-Identifier: Apache-2.0

/// A cue of a selected track comes or goes.
public struct CueEvent: Hashable, Sendable {
    public enum Stage: Hashable, Sendable, CaseIterable {
        /// It is on the screen from now on.
        case appeared
        case disappeared
        /// It will appear, if the playhead goes on.
        case ahead
    }

    public var stage: Stage
    public var cue: Cue
    /// When, on the session's timeline: where the cue starts or ends.
    public var time: MediaTime

    public init(_ stage: Stage, _ cue: Cue, at time: MediaTime) {
        self.stage = stage
        self.cue = cue
        self.time = time
    }

    /// - Parameters:
    ///   - cue: on the session's timeline.
    ///   - origin: where that starts on the source's own clock.
    package init(_ stage: Stage, ofTimeline cue: Cue, from origin: MediaTime) {
        let time = stage == .disappeared ? cue.end ?? cue.start : cue.start
        self.init(stage, cue.shifted(by: origin), at: time)
    }
}

/// What is on the screen of a session, and what comes next. On the session's timeline.
public struct ScreenCues: Hashable, Sendable {
    /// What is on the screen, in order.
    public var shown: [Cue]
    /// What is known to come, in order, as far as a minute ahead.
    public var upcoming: [Cue]
    /// Where the timeline starts on the source's own clock.
    public var origin: MediaTime

    public init(shown: [Cue] = [], upcoming: [Cue] = [], origin: MediaTime = .zero) {
        self.shown = shown
        self.upcoming = upcoming
        self.origin = origin
    }
}
