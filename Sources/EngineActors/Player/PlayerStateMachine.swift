// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what a session does: every command, every piece of news about media or a renderer, every passing of time goes
/// in; the phase, the playhead and a few effects come out. No waiting, no clock of its own: the caller says what time it
/// is, in nanoseconds of the monotonic clock.
///
/// The playhead has one master: a renderer that reports where it is, else a virtual clock that plays in real time over
/// media that is there, so that `buffering` is real.
package struct PlayerStateMachine: Sendable {
    /// What has happened that is not a state.
    package enum Effect: Hashable, Sendable {
        case seek(SeekEvent)
        /// The phase has lasted longer than it should. Said once a stay; nothing changes by it.
        case timedOut(Phase.Name, after: Duration)
        /// The playhead went from the end to the start.
        case looped
    }

    /// What the playhead does. At rest it has a place; on the move it has an anchor in time.
    enum State: Hashable {
        case idle
        case opening
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
        /// At rest before, so it is `ready` and not `paused` afterwards.
        var isStalled = false
    }

    var state = State.opening
    /// The playhead at rest, or where it was at `playing(since:)`.
    var position: MediaTime
    /// The rate at which the playhead really moves while `playing`: the one asked for, or the renderer's.
    var movingRate = 1.0
    private(set) var requestedRate = 1.0
    private(set) var duration: MediaTime?
    private(set) var isLooping = false
    /// Whether a renderer moves the playhead.
    var hasRenderer = false
    /// Up to where media is there without a hole from the playhead on.
    var available: MediaTime
    /// Up to where media is there without a hole from the start on, for a loop without a gap.
    private var availableFromStart = MediaTime.zero
    private var settings: PlayerSettings
    private var lastSeek: UInt64 = 0
    private var enteredAt: Int64
    private var hasTimedOut = false
    private var effects: [Effect] = []

    package init(position: MediaTime, settings: PlayerSettings = PlayerSettings(), at now: Int64 = 0) {
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

    // MARK: What it is

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
        case .idle, .opening, .ready, .pausing, .paused, .ended, .stopping, .error: false
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
    private var limit: MediaTime {
        if hasRenderer { return duration ?? .init(microseconds: .max) }
        return duration.map { min($0, available) } ?? available
    }

    var isAtEnd: Bool { duration.map { position >= $0 } ?? false }

    // MARK: Life

    /// The source is open and planned.
    package mutating func opened(at now: Int64) {
        guard case .opening = state else { return }
        enter(.ready, at: now)
    }

    package mutating func failed(_ error: EngineError, at now: Int64) {
        switch state {
        case .error, .stopping, .idle: return
        default: break
        }
        settle(at: now)
        supersede()
        enter(.error(error), at: now)
    }

    /// A source is loaded in place of what was there, with its own settings.
    package mutating func reopened(at start: MediaTime, settings: PlayerSettings, at now: Int64) {
        if case .stopping = state { return }
        supersede()
        self.settings = settings
        _ = setRate(requestedRate, at: now)
        position = start
        available = start
        availableFromStart = .zero
        duration = nil
        enter(.opening, at: now)
    }

    package mutating func stopping(at now: Int64) {
        if case .stopping = state { return }
        settle(at: now)
        supersede()
        enter(.stopping, at: now)
    }

    package mutating func stopped(at now: Int64) {
        guard case .stopping = state else { return }
        enter(.idle, at: now)
    }

    // MARK: Commands

    /// From the end it starts over. Before the source is open, and after a failure, there is nothing to play.
    package mutating func play(at now: Int64) {
        switch state {
        case .ready, .paused, .pausing: hasRenderer ? enter(.play, at: now) : start(at: now)
        case .seeking(var seek):
            seek.thenPlay = true
            state = .seeking(seek)
        case .ended: begin(Seek(id: nextSeek(), target: .zero, thenPlay: true), at: now)
        case .play, .playing, .buffering, .idle, .opening, .stopping, .error: break
        }
    }

    package mutating func pause(at now: Int64) {
        switch state {
        case .playing, .buffering, .play:
            settle(at: now)
            enter(hasRenderer ? .pausing : .paused, at: now)
        case .seeking(var seek):
            seek.thenPlay = false
            state = .seeking(seek)
        case .ready, .pausing, .paused, .ended, .idle, .opening, .stopping, .error: break
        }
    }

    /// What came of a wish to seek.
    package struct SeekAnswer: Hashable, Sendable {
        package let id: UInt64
        /// The target was outside the timeline.
        package let isClamped: Bool
        /// There is nothing to seek in.
        package let isRejected: Bool
    }

    /// Moves the playhead, clamped to the timeline.
    ///
    /// - Parameter thenPlay: whether it plays from there; `nil`: as it did before.
    package mutating func seek(to target: MediaTime, thenPlay: Bool? = nil, at now: Int64) -> SeekAnswer {
        let clamped = max(.zero, duration.map { min(target, $0) } ?? target)
        let id = nextSeek()
        let played: Bool
        switch state {
        case .idle, .opening, .stopping, .error:
            note(.seek(SeekEvent(id: id, stage: .rejected, target: clamped)))
            return SeekAnswer(id: id, isClamped: clamped != target, isRejected: true)
        case .play, .playing, .buffering: played = true
        case .seeking(let seek): played = seek.thenPlay
        case .ready, .pausing, .paused, .ended: played = false
        }
        begin(Seek(id: id, target: clamped, thenPlay: thenPlay ?? played), at: now)
        return SeekAnswer(id: id, isClamped: clamped != target, isRejected: false)
    }

    /// - Returns: whether it had to be moved into the range.
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

    private mutating func nextSeek() -> UInt64 {
        lastSeek += 1
        return lastSeek
    }

    /// The playhead stands where it is now.
    mutating func settle(at now: Int64) { position = playhead(at: now) }

    mutating func supersede() {
        guard case .seeking(let seek) = state else { return }
        note(.seek(SeekEvent(id: seek.id, stage: .superseded, target: seek.target)))
    }

    private mutating func begin(_ seek: Seek, at now: Int64) {
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
    private mutating func arrive(at now: Int64) {
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

extension PlayerStateMachine.State {
    var phase: Phase {
        switch self {
        case .idle: .idle
        case .opening: .opening
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

extension Int64 {
    /// What 64 bits hold of a number that is not NaN.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}
