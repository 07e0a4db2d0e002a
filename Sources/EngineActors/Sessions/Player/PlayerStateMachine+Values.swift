// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension PlayerStateMachine {
    /// Something that happened and is not a state.
    package enum Effect: Hashable, Sendable {
        case seek(SeekEvent)
        /// The phase has lasted longer than it should. Reported once each time the phase is entered; the state does not
        /// change.
        case timedOut(Phase.Name, after: Duration)
        /// The playhead jumped from the end to the start.
        case looped
        /// A seek has left the end, and the session is to rest at the target. A renderer that reached the end was never
        /// paused, so it might play on from the target.
        case leftEnd
    }

    /// What the session does. `playing` carries the time at which the playhead was at `position`.
    enum State: Hashable {
        case idle
        case opening(Opening)
        case ready
        case play
        case playing(since: Int64)
        case pausing
        case paused
        case buffering
        case seeking(Seek)
        case ended
        case stopping
        case error(EngineError)
    }

    struct Seek: Hashable {
        let id: UInt64
        var target: MediaTime
        var thenPlay: Bool
        /// Whether the seek has been reported as stalled.
        var isStalled = false
    }

    /// The result of a seek request.
    package struct SeekAnswer: Hashable, Sendable {
        package let id: UInt64
        /// The target was outside the timeline.
        package let isClamped: Bool
        /// There is no open source to seek in.
        package let isRejected: Bool
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
        case .error(let error): .error(error)
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
