// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what a session's clock does: every command, every piece of news about media, every passing of time goes in, and
/// the phase and the playhead come out. No waiting, no clock of its own: the caller says what time it is.
///
/// The virtual clock plays in real time and only over media that is there, so `buffering` is real.
package struct PlayerStateMachine: Sendable {
    /// What the playhead does. At rest it has a place; on the move it has an anchor in time.
    private enum State: Hashable {
        case ready
        case paused
        case playing(since: Int64)
        case buffering
        /// Fetching the media at a new place, to play or rest there.
        case seeking(thenPlay: Bool)
        case ended
    }

    private var state = State.ready
    /// The playhead at rest, or where it was at `playing(since:)`.
    private var position: MediaTime
    private var requestedRate = 1.0
    private var duration: MediaTime?
    /// Up to where media is there without a hole from the playhead on.
    private var available: MediaTime

    package init(position: MediaTime) {
        self.position = position
        available = position
    }

    package var phase: Phase {
        switch state {
        case .ready: .ready
        case .paused: .paused
        case .playing: .playing
        case .buffering: .buffering
        case .seeking: .seeking
        case .ended: .ended
        }
    }

    /// Whether media at the playhead has to be fetched, now or as it moves.
    package var needsMedia: Bool {
        switch state {
        case .playing, .buffering, .seeking: true
        case .ready, .paused, .ended: false
        }
    }

    /// Whether it plays, or would if media were there.
    package var wantsToPlay: Bool {
        switch state {
        case .playing, .buffering, .seeking(thenPlay: true): true
        case .ready, .paused, .ended, .seeking(thenPlay: false): false
        }
    }

    package func playhead(at now: Int64) -> MediaTime {
        guard case .playing(let since) = state else { return position }
        let moved = MediaTime(microseconds: Int64(Double(now - since) / 1000 * requestedRate))
        return min(position + moved, limit)
    }

    package func anchor(at now: Int64) -> PositionAnchor {
        guard case .playing(let since) = state else {
            return PositionAnchor(position: position, rate: 0, monotonicNanoseconds: now, requestedRate: requestedRate)
        }
        return PositionAnchor(
            position: position,
            rate: requestedRate,
            monotonicNanoseconds: since,
            requestedRate: requestedRate
        )
    }

    /// A day. The slowest rates reach nothing within the range of a clock.
    private static let longestWait = 86_400e9

    /// When the playhead reaches the end of what is there, so that `tick` must be called, and a day after it set off at
    /// the latest. `nil` while it does not move.
    package var deadline: Int64? {
        guard case .playing(let since) = state, requestedRate > 0 else { return nil }
        let distance = Double((limit - position).microseconds)
        return since + Int64(min(max(0, distance) / requestedRate * 1000, Self.longestWait)) + 1000
    }

    private var limit: MediaTime { duration.map { min($0, available) } ?? available }

    // MARK: Commands

    /// From the end it starts over.
    package mutating func play(at now: Int64) {
        switch state {
        case .ready, .paused: start(at: now)
        case .seeking: state = .seeking(thenPlay: true)
        case .ended:
            position = .zero
            available = .zero
            state = .seeking(thenPlay: true)
        case .playing, .buffering: break
        }
    }

    package mutating func pause(at now: Int64) {
        switch state {
        case .playing:
            position = playhead(at: now)
            state = .paused
        case .buffering: state = .paused
        case .seeking: state = .seeking(thenPlay: false)
        case .ready, .paused, .ended: break
        }
    }

    /// Moves the playhead, clamped to the timeline.
    ///
    /// - Returns: whether it had to be clamped.
    package mutating func seek(to target: MediaTime, at now: Int64) -> Bool {
        let clamped = max(.zero, duration.map { min(target, $0) } ?? target)
        let thenPlay =
            switch state {
            case .playing, .buffering: true
            case .seeking(let thenPlay): thenPlay
            case .ready, .paused, .ended: false
            }
        position = clamped
        available = clamped
        state = .seeking(thenPlay: thenPlay)
        return clamped != target
    }

    /// - Returns: whether it had to be clamped to 0 … 2.
    package mutating func setRate(_ rate: Double, at now: Int64) -> Bool {
        let clamped = rate.isNaN ? 1 : min(max(rate, 0), 2)
        if case .playing = state {
            position = playhead(at: now)
            state = .playing(since: now)
        }
        requestedRate = clamped
        return clamped != rate
    }

    // MARK: News

    /// - Returns: whether the playhead lay beyond the end, which was not known, and was moved to it.
    @discardableResult
    package mutating func setDuration(_ duration: MediaTime?) -> Bool {
        self.duration = duration
        guard let duration, position > duration else { return false }
        position = duration
        available = duration
        return true
    }

    /// Media is there without a hole from the playhead to `end`.
    package mutating func mediaAvailable(to end: MediaTime, at now: Int64) {
        if case .playing = state {
            position = playhead(at: now)
            state = .playing(since: now)
        }
        available = max(position, end)
        let isThere = available > position || isAtEnd
        switch state {
        case .buffering where isThere: start(at: now)
        case .seeking(true) where isThere: start(at: now)
        case .seeking(false) where isThere: state = .paused
        default: break
        }
    }

    /// Time has passed: the playhead may have come to the end of what is there, or of all.
    package mutating func tick(at now: Int64) {
        guard case .playing = state, requestedRate > 0 else { return }
        let place = playhead(at: now)
        guard place >= limit else { return }
        position = place
        state = isAtEnd ? .ended : .buffering
    }

    private var isAtEnd: Bool { duration.map { position >= $0 } ?? false }

    private mutating func start(at now: Int64) {
        state = isAtEnd ? .ended : available > position ? .playing(since: now) : .buffering
    }
}
