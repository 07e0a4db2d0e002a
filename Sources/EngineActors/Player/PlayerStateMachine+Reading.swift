// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// What it is at a moment.
extension PlayerStateMachine {
    package var phase: Phase { state.phase }

    /// Whether media at the playhead has to be fetched, now or as it moves. A renderer fetches its own.
    package var needsMedia: Bool {
        switch state {
        case .play, .playing, .buffering, .seeking: !hasRenderer
        case .idle, .opening, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }

    /// Whether it plays, or would if media were there.
    package var wantsToPlay: Bool {
        switch state {
        case .play, .playing, .buffering: true
        case .seeking(let seek): seek.thenPlay
        case .opening(let opening): opening.thenPlay
        case .idle, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }

    /// What it is called when it is at rest and is had again later.
    package var rest: SessionRecord.Rest {
        switch state {
        case .ended: .ended
        case .opening(let opening): opening.seek == nil ? opening.rest : .paused
        case .idle, .ready: .ready
        case .play, .playing, .pausing, .paused, .buffering, .seeking, .stopping, .error: .paused
        }
    }

    package func playhead(at now: Int64) -> MediaTime {
        guard case .playing(let since) = state else { return position }
        let moved = MediaTime(microseconds: Int64(clamping: Double(now - since) / 1000 * movingRate))
        return min(position + moved, limit)
    }

    package func anchor(at now: Int64) -> PositionAnchor {
        guard case .playing(let since) = state else {
            return PositionAnchor(position: position, rate: 0, monotonicNanoseconds: now, requestedRate: requestedRate)
        }
        return PositionAnchor(
            position: position,
            rate: movingRate,
            monotonicNanoseconds: since,
            requestedRate: requestedRate
        )
    }

    /// A day. The slowest rates reach nothing within the range of a clock.
    private static let longestWait = 86_400e9

    /// When `tick` must be called at the latest: the playhead reaches the end of what is there, or the phase has lasted too
    /// long. `nil` while neither can happen.
    package var deadline: Int64? {
        let timeout = hasTimedOut ? nil : settings.timeouts[phase.name].map { enteredAt + $0.nanoseconds }
        guard let arrival else { return timeout }
        return min(arrival, timeout ?? .max)
    }

    /// When the playhead reaches the end of what is there. `nil` while it does not move.
    package var arrival: Int64? {
        guard case .playing(let since) = state, movingRate > 0, !hasRenderer else { return nil }
        let distance = Double((limit - position).microseconds)
        return since + Int64(min(max(0, distance) / movingRate * 1000, Self.longestWait)) + 1000
    }

    /// How far the playhead may be taken to have moved since it was last heard of.
    var limit: MediaTime {
        if hasRenderer { return duration ?? .init(microseconds: .max) }
        return duration.map { min($0, available) } ?? available
    }

    var isAtEnd: Bool { duration.map { position >= $0 } ?? false }
}

extension Int64 {
    /// What 64 bits hold of a number that is not NaN.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}
