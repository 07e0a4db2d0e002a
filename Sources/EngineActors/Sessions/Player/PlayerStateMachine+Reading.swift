// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Queries.
extension PlayerStateMachine {
    package var phase: Phase { state.phase }

    /// Whether the session must fetch media at the playhead, now or as the playhead moves. A renderer fetches its own.
    package var needsMedia: Bool {
        switch state {
        case .play, .playing, .buffering, .seeking: !hasRenderer
        case .idle, .opening, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }

    /// Whether the session plays, or would play if media were available.
    package var wantsToPlay: Bool {
        switch state {
        case .play, .playing, .buffering: true
        case .seeking(let seek): seek.thenPlay
        case .opening(let opening): opening.thenPlay
        case .idle, .ready, .pausing, .paused, .ended, .stopping, .error: false
        }
    }

    /// How the session rests if it is restored later without playing.
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

    /// One day, in nanoseconds. At the slowest rates the true wait exceeds the range of a clock.
    private static let longestWait = 86_400e9

    /// When `tick` must be called at the latest: when the playhead reaches the end of the available media, or when the
    /// phase times out. `nil` while neither can happen.
    package var deadline: Int64? {
        let timeout = hasTimedOut ? nil : settings.timeouts[phase.name].map { enteredAt + $0.nanoseconds }
        guard let arrival else { return timeout }
        return min(arrival, timeout ?? .max)
    }

    /// When the playhead reaches the end of the available media. `nil` while it does not move, or a renderer moves it.
    package var arrival: Int64? {
        guard case .playing(let since) = state, movingRate > 0, !hasRenderer else { return nil }
        let distance = Double((limit - position).microseconds)
        return since + Int64(min(max(0, distance) / movingRate * 1000, Self.longestWait)) + 1000
    }

    /// The farthest position that the playhead can have reached since its last known position.
    var limit: MediaTime {
        if hasRenderer { return duration ?? .init(microseconds: .max) }
        return duration.map { min($0, available) } ?? available
    }

    var isAtEnd: Bool { duration.map { position >= $0 } ?? false }
}

extension Int64 {
    /// Converts a number that is not NaN, saturating at the bounds of 64 bits.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}
