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

    public init(_ stage: Stage, _ cue: Cue) {
        self.stage = stage
        self.cue = cue
    }

    /// When, on the timeline: where the cue starts or ends.
    public var time: MediaTime { stage == .disappeared ? cue.end ?? cue.start : cue.start }
}

/// What is on the screen of a session, and what comes next.
public struct ScreenCues: Hashable, Sendable {
    /// What is on the screen, in order.
    public var shown: [Cue]
    /// What is known to come, in order, as far as a minute ahead.
    public var upcoming: [Cue]

    public init(shown: [Cue] = [], upcoming: [Cue] = []) {
        self.shown = shown
        self.upcoming = upcoming
    }
}
