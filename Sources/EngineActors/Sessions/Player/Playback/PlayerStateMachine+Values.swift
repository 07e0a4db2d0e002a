// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension PlayerStateMachine {
    /// An event that the state does not show.
    package enum Effect: Hashable, Sendable {
        case seek(SeekEvent)
        /// The phase has lasted longer than it should. Reported once each time the phase is entered; the state does not
        /// change.
        case timedOut(Phase.Name, after: Duration)
        /// The playhead jumped back from the end, or from the end of the repeated part, to where repetition begins.
        case looped
        /// A seek has left the end, and the session must rest at the target. A renderer that reached the end was never
        /// paused, so it might continue to play from the target.
        case leftEnd
    }

    /// The activity of the session. `playing` carries the time at which the playhead began to move.
    enum State: Hashable {
        case idle
        case opening(PlayerOpening)
        case ready
        case play
        case playing(since: Int64)
        case pausing
        case paused
        case buffering
        case seeking(Seek)
        case ended
        case stopping
        case error(EngineError, interrupted: PlayerOpening)
    }

    struct Seek: Hashable {
        let id: UInt64
        var target: MediaTime
        var thenPlay: Bool
        /// Whether the seek has been reported as stalled.
        var isStalled = false
    }
}

/// The result of a seek request.
package struct SeekAnswer: Hashable, Sendable {
    package let id: UInt64
    /// The target was outside the timeline.
    package let isClamped: Bool
    /// There is no open source to seek in.
    package let isRejected: Bool
}

/// The player's actions once the source is open. Until then, playing and seeking are impossible.
package struct PlayerOpening: Hashable, Sendable {
    /// A seek that already has its id, but whose position on the timeline is still to be found.
    package struct Seek: Hashable, Sendable {
        package let id: UInt64
        package let command: SeekCommand
    }

    package var thenPlay: Bool
    package var seek: Seek?
    /// How the session rested in an earlier process. Commands given since then take precedence.
    package var rest: SessionRecord.RestingPhase

    package init(thenPlay: Bool = false, rest: SessionRecord.RestingPhase = .ready) {
        self.thenPlay = thenPlay
        self.rest = rest
    }
}

extension PlayerStateMachine.State {
    var phase: Phase {
        switch self {
        case .idle: .idle
        case .opening(_): .opening
        case .ready: .ready
        case .play: .play
        case .playing: .playing
        case .pausing: .pausing
        case .paused: .paused
        case .buffering: .buffering
        case .seeking: .seeking
        case .ended: .ended
        case .stopping: .stopping
        case .error(let error, _): .error(error)
        }
    }

    /// When the playhead began to move. `nil` at rest.
    var movingSince: Int64? {
        if case .playing(let since) = self { since } else { nil }
    }

    /// Whether the playhead moves, or waits for media or for a renderer.
    var isPlayback: Bool {
        switch self {
        case .play, .playing, .buffering, .seeking: true
        case .idle, .opening, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }

    var wantsToPlay: Bool {
        switch self {
        case .play, .playing, .buffering: true
        case .seeking(let seek): seek.thenPlay
        case .opening(let opening): opening.thenPlay
        case .idle, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }

    var rest: SessionRecord.RestingPhase {
        switch self {
        case .ended: .ended
        case .opening(let opening): opening.seek == nil ? opening.rest : .paused
        case .idle, .ready: .ready
        case .play, .playing, .pausing, .paused, .buffering, .seeking, .stopping, .error: .paused
        }
    }

    /// Sets whether the session plays once it is open, or once the seek has landed.
    mutating func plan(toPlay: Bool) {
        switch self {
        case .seeking(var seek):
            seek.thenPlay = toPlay
            self = .seeking(seek)
        case .opening(var opening):
            opening.thenPlay = toPlay
            self = .opening(opening)
        case .idle, .ready, .play, .playing, .pausing, .paused, .buffering, .ended, .stopping, .error: break
        }
    }
}

extension Duration {
    /// Whole nanoseconds, saturated.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return whole.overflow ? .max / 2 : min(.max / 2, whole.partialValue + attoseconds / 1_000_000_000)
    }
}
