// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what a session does: every command, every piece of news about media or a renderer, every passing of time goes
/// in; the phase, the playhead and a few effects come out. No waiting, no clock of its own: the caller says what time it
/// is, in nanoseconds of the monotonic clock.
///
/// The playhead has one master: a renderer that reports where it is, else a virtual clock that plays in real time over
/// media that is there, so that `buffering` is real.
package struct PlayerStateMachine: Sendable {
    var state: State
    /// The playhead at rest, or where it was at `playing(since:)`.
    var position: MediaTime
    /// The rate at which the playhead really moves while `playing`: the one asked for, or the renderer's.
    var movingRate = 1.0
    var requestedRate = 1.0
    var duration: MediaTime?
    var isLooping = false
    /// Whether a renderer moves the playhead.
    var hasRenderer = false
    /// Up to where media is there without a hole from the playhead on.
    var available: MediaTime
    /// Up to where media is there without a hole from the start on, for a loop without a gap.
    var availableFromStart = MediaTime.zero
    var settings: PlayerSettings
    var lastSeek: UInt64 = 0
    var enteredAt: Int64
    var hasTimedOut = false
    private var effects: [Effect] = []

    package init(
        position: MediaTime,
        opening: Opening = Opening(),
        settings: PlayerSettings = PlayerSettings(),
        at now: Int64 = 0
    ) {
        state = .opening(opening)
        self.position = position
        self.settings = settings
        available = position
        enteredAt = now
    }

    /// What has happened since the last time this was asked.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func note(_ effect: Effect) { effects.append(effect) }

    /// The one way to another state.
    mutating func enter(_ next: State, at now: Int64) {
        let (from, to) = (state.phase.name, next.phase.name)
        state = next
        guard from != to else { return }
        assert(from.successors.contains(to), "a session went from \(from) to \(to)")
        enteredAt = now
        hasTimedOut = false
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
        if case .playing = state, !hasRenderer {
            position = playhead(at: now)
            state = .playing(since: now)
        }
        available = max(position, end)
        guard !hasRenderer, available > position || isAtEnd else { return }
        switch state {
        case .buffering: start(at: now)
        case .seeking(let seek): land(seek, at: now)
        default: break
        }
    }

    /// Media is there without a hole from the start to `end`.
    package mutating func mediaAvailableAtStart(to end: MediaTime) { availableFromStart = end }

    /// Time has passed: the playhead may have come to the end of what is there, or of all; a phase may have lasted too long.
    package mutating func tick(at now: Int64) {
        if case .playing = state, movingRate > 0, !hasRenderer, playhead(at: now) >= limit { arrive(at: now) }
        guard !hasTimedOut, let timeout = settings.timeouts[phase.name], now >= enteredAt + timeout.nanoseconds else {
            return
        }
        hasTimedOut = true
        note(.timedOut(phase.name, after: timeout))
        if case .seeking(var seek) = state, !seek.isStalled {
            seek.isStalled = true
            state = .seeking(seek)
            note(.seek(SeekEvent(id: seek.id, stage: .stalled, target: seek.target)))
        }
    }

    // MARK: Steps

    mutating func nextSeek() -> UInt64 {
        lastSeek += 1
        return lastSeek
    }

    /// The playhead stands where it is now.
    mutating func settle(at now: Int64) { position = playhead(at: now) }

    mutating func supersede() {
        switch state {
        case .seeking(let seek):
            note(.seek(SeekEvent(id: seek.id, stage: .superseded, target: seek.target)))
        case .opening(let opening):
            guard let seek = opening.seek else { return }
            note(.seek(SeekEvent(id: seek.id, stage: .superseded, target: position)))
        case .idle, .ready, .play, .playing, .pausing, .paused, .buffering, .ended, .stopping, .error: break
        }
    }

    mutating func begin(_ seek: Seek, at now: Int64) {
        supersede()
        note(.seek(SeekEvent(id: seek.id, stage: .began, target: seek.target)))
        position = seek.target
        available = seek.target
        if case .seeking = state {
            // A new seek has its own time to land in.
            enteredAt = now
            hasTimedOut = false
        }
        enter(.seeking(seek), at: now)
    }

    mutating func land(_ seek: Seek, at now: Int64) {
        note(.seek(SeekEvent(id: seek.id, stage: .landed, target: seek.target)))
        if seek.thenPlay { start(at: now) } else { enter(.paused, at: now) }
    }

    mutating func start(at now: Int64) {
        if isAtEnd {
            enter(.ended, at: now)
        } else if available > position {
            movingRate = requestedRate
            enter(.playing(since: now), at: now)
        } else {
            enter(.buffering, at: now)
        }
    }

    /// The playhead has come to the end of what is there.
    mutating func arrive(at now: Int64) {
        let reached = playhead(at: now)
        guard let duration, reached >= duration else {
            position = reached
            return enter(.buffering, at: now)
        }
        guard isLooping, duration > .zero else {
            position = reached
            return enter(.ended, at: now)
        }
        note(.looped)
        position = .zero
        available = availableFromStart
        if available > .zero { state = .playing(since: now) } else { enter(.buffering, at: now) }
    }
}
