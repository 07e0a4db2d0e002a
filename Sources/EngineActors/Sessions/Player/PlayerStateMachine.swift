// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what a session does. Commands, news about media and renderers, and the passing of time go in; the phase, the
/// playhead and a few effects come out. It never waits and has no clock of its own: callers pass the time, in
/// nanoseconds of the monotonic clock.
///
/// The playhead has one master: a renderer that reports its position, or, without one, a virtual clock. The virtual
/// clock plays available media in real time, so that `buffering` means that media is really missing.
package struct PlayerStateMachine: Sendable {
    var state: State
    /// The playhead at rest, or its position at the time in `playing(since:)`.
    var position: MediaTime
    /// The rate at which the playhead really moves while `playing`: the requested one, or the renderer's.
    var movingRate = 1.0
    var requestedRate = 1.0
    var duration: MediaTime?
    var isLooping = false
    /// Whether a renderer moves the playhead.
    var hasRenderer = false
    /// The end of the media that is available without gaps from the playhead on.
    var available: MediaTime
    /// The end of the media that is available without gaps from the start on. It lets a loop continue without
    /// buffering.
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

    /// Returns the effects since the last call, and clears them.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func note(_ effect: Effect) { effects.append(effect) }

    /// The only way into another phase.
    mutating func enter(_ next: State, at now: Int64) {
        let (from, to) = (state.phase.name, next.phase.name)
        state = next
        guard from != to else { return }
        assert(from.successors.contains(to), "a session went from \(from) to \(to)")
        enteredAt = now
        hasTimedOut = false
    }

    // MARK: Events

    /// - Returns: whether the playhead was beyond the end, which was not known before, and was moved back to it.
    @discardableResult
    package mutating func setDuration(_ duration: MediaTime?) -> Bool {
        self.duration = duration
        guard let duration, position > duration else { return false }
        position = duration
        available = duration
        return true
    }

    /// Media is available without gaps from the playhead to `end`.
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

    /// Media is available without gaps from the start to `end`.
    package mutating func mediaAvailableAtStart(to end: MediaTime) { availableFromStart = end }

    /// Time has passed. The playhead may have reached the end of the available media or of the source, and the phase
    /// may have timed out.
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

    /// Sets `position` to where the playhead is now.
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
            // Each seek has its full time-out.
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

    /// The playhead has reached the end of the available media.
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
