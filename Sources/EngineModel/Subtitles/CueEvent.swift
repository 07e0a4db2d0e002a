// SPDX-License-Identifier: Apache-2.0

/// A cue of a selected track comes or goes.
package struct CueEvent: Hashable, Sendable {
    package enum Stage: Hashable, Sendable, CaseIterable {
        /// It is on the screen from now on.
        case appeared
        case disappeared
        /// It will appear, if the playhead goes on.
        case ahead
    }

    package var stage: Stage
    package var cue: Cue

    package init(_ stage: Stage, _ cue: Cue) {
        self.stage = stage
        self.cue = cue
    }

    /// When, on the timeline: where the cue starts or ends.
    package var time: MediaTime { stage == .disappeared ? cue.end ?? cue.start : cue.start }
}

/// What is on the screen of a session, and what comes next.
package struct ScreenCues: Hashable, Sendable {
    /// What is on the screen, in order.
    package var shown: [Cue]
    /// What is known to come, in order, as far as a minute ahead.
    package var upcoming: [Cue]

    package init(shown: [Cue] = [], upcoming: [Cue] = []) {
        self.shown = shown
        self.upcoming = upcoming
    }
}
