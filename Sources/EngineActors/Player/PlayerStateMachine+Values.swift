// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension PlayerStateMachine {
    /// What has happened that is not a state.
    package enum Effect: Hashable, Sendable {
        case seek(SeekEvent)
        /// The phase has lasted longer than it should. Said once a stay; nothing changes by it.
        case timedOut(Phase.Name, after: Duration)
        /// The playhead went from the end to the start.
        case looped
        /// A seek has left the end, and the session is to rest at its target. A renderer that reached the end has not
        /// paused, and might play on from there.
        case leftEnd
    }

    /// What the playhead does. At rest it has a place; on the move it has an anchor in time.
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
        /// That it takes long has been said.
        var isStalled = false
    }

    /// What came of a wish to seek.
    package struct SeekAnswer: Hashable, Sendable {
        package let id: UInt64
        /// The target was outside the timeline.
        package let isClamped: Bool
        /// There is nothing to seek in.
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
