// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Commands from clients.
extension PlayerStateMachine {
    /// Starts playback; at the end, playback starts over. Before the source is open the command is kept until then;
    /// after a failure it does nothing.
    ///
    /// - Returns: the id of the seek that this begins, as `SeekEvent.id`; `nil` if it begins none.
    @discardableResult
    package mutating func play(at now: Int64) -> UInt64? {
        switch state {
        case .ready, .paused, .pausing: hasRenderer ? enter(.play, at: now) : start(at: now)
        case .seeking(var seek):
            seek.thenPlay = true
            state = .seeking(seek)
        case .opening(var opening):
            opening.thenPlay = true
            state = .opening(opening)
        case .ended:
            let id = nextSeek()
            begin(Seek(id: id, target: .zero, thenPlay: true), at: now)
            return id
        case .play, .playing, .buffering, .idle, .stopping, .error: break
        }
        return nil
    }

    package mutating func pause(at now: Int64) {
        switch state {
        case .playing, .buffering, .play:
            settle(at: now)
            enter(hasRenderer ? .pausing : .paused, at: now)
        case .seeking(var seek):
            seek.thenPlay = false
            state = .seeking(seek)
        case .opening(var opening):
            opening.thenPlay = false
            state = .opening(opening)
        case .ready, .pausing, .paused, .ended, .idle, .stopping, .error: break
        }
    }

    /// Moves the playhead, clamped to the timeline. Rejected before the source is open: see `keep`.
    ///
    /// - Parameter number: the id of a seek that was kept; `nil` for a new seek.
    /// - Parameter thenPlay: whether to play from the target; `nil` to play if it was playing before.
    package mutating func seek(
        to target: MediaTime,
        thenPlay: Bool? = nil,
        as number: UInt64? = nil,
        at now: Int64
    ) -> SeekAnswer {
        let clamped = max(.zero, duration.map { min(target, $0) } ?? target)
        let id = number ?? nextSeek()
        let played: Bool
        let hasEnded = state == .ended
        switch state {
        case .idle, .opening, .stopping, .error:
            note(.seek(SeekEvent(id: id, stage: .rejected, target: clamped)))
            return SeekAnswer(id: id, isClamped: clamped != target, isRejected: true)
        case .play, .playing, .buffering: played = true
        case .seeking(let seek): played = seek.thenPlay
        case .ready, .pausing, .paused, .ended: played = false
        }
        let seek = Seek(id: id, target: clamped, thenPlay: thenPlay ?? played)
        begin(seek, at: now)
        if hasEnded, hasRenderer, !seek.thenPlay { note(.leftEnd) }
        return SeekAnswer(id: id, isClamped: clamped != target, isRejected: false)
    }

    /// - Returns: whether the rate was clamped to the allowed range.
    package mutating func setRate(_ rate: Double, at now: Int64) -> Bool {
        let range = settings.rateRange
        let clamped =
            rate.isNaN
            ? min(max(1, range.lowerBound), range.upperBound) : min(max(rate, range.lowerBound), range.upperBound)
        if case .playing = state, !hasRenderer {
            position = playhead(at: now)
            state = .playing(since: now)
            movingRate = clamped
        }
        requestedRate = clamped
        return clamped != rate
    }

    package mutating func setLooping(_ isLooping: Bool) { self.isLooping = isLooping }
}
