// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what a session does. Commands, reports about media and renderers, and the passing of time go in; the phase,
/// the playhead and a few effects come out. It never waits and has no clock of its own: callers pass the time, in
/// nanoseconds of the monotonic clock.
///
/// The playhead has one master: a renderer that reports its position, or, without one, a virtual clock. The virtual
/// clock plays available media in real time, so that `buffering` means that media is really missing.
package struct PlayerStateMachine: Sendable {
    private(set) var state: State
    private var playhead: Playhead
    private var timer: PhaseTimer
    private var rateRange: ClosedRange<Double>
    private(set) var lastSeek: UInt64 = 0
    private var effects: [Effect] = []

    package init(
        position: MediaTime,
        opening: PlayerOpening = PlayerOpening(),
        settings: PlayerSettings = PlayerSettings(),
        at now: Int64 = 0
    ) {
        state = .opening(opening)
        playhead = Playhead(at: position)
        timer = PhaseTimer(settings.timeouts, at: now)
        rateRange = settings.rateRange
    }

    /// Returns the effects since the last call, and clears them.
    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    private mutating func note(_ effect: Effect) { effects.append(effect) }

    /// The only way into another phase.
    private mutating func enter(_ next: State, at now: Int64) {
        let (from, to) = (state.phase.name, next.phase.name)
        state = next
        guard from != to else { return }
        assert(from.successors.contains(to), "a session went from \(from) to \(to)")
        timer.restart(at: now)
    }

    // MARK: Queries

    package var phase: Phase { state.phase }
    package var duration: MediaTime? { playhead.duration }
    package var requestedRate: Double { playhead.requestedRate }
    /// Whether playback continues at the start when it reaches the end.
    package var isLooping: Bool { playhead.isLooping }
    /// The part of the timeline that is repeated.
    package var loopPoints: LoopPoints? { playhead.loopPoints }
    /// The next turn if playback continues from here. `nil` if there is none, or if its position is not known yet.
    var turn: Playhead.Turn? { playhead.turn }
    /// Whether a renderer moves the playhead.
    package var hasRenderer: Bool { playhead.hasRenderer }
    /// How the session rests if it is restored later without playing.
    package var rest: SessionRecord.RestingPhase { state.rest }
    /// Whether the session plays, or would play if media were available.
    package var wantsToPlay: Bool { state.wantsToPlay }

    /// Whether the session must fetch media at the playhead, now or as the playhead moves. A renderer fetches its own.
    package var needsMedia: Bool { state.isPlayback && !hasRenderer }

    package func playhead(at now: Int64) -> MediaTime { playhead.place(since: state.movingSince, at: now) }

    package func anchor(at now: Int64) -> PositionAnchor { playhead.anchor(since: state.movingSince, at: now) }

    /// The moment at which `tick` must be called at the latest: the playhead arrives (`arrival`), or the phase times
    /// out. `nil` while neither can happen.
    package var deadline: Int64? {
        let timeout = timer.deadline(of: phase.name)
        guard let arrival else { return timeout }
        return min(arrival, timeout ?? .max)
    }

    /// The moment at which the playhead reaches the end of the available media, or turns; `nil` if it does not move.
    /// While a renderer moves the playhead, only the turn at the end of the repeated part counts.
    package var arrival: Int64? { playhead.arrival(since: state.movingSince) }

    // MARK: Media and time

    /// - Returns: whether the playhead was beyond the end, which was not known before, and was moved back to it.
    @discardableResult
    package mutating func setDuration(_ duration: MediaTime?) -> Bool { playhead.setDuration(duration) }

    /// Media is available without gaps from the playhead to `end`.
    package mutating func mediaAvailable(to end: MediaTime, at now: Int64) {
        if !hasRenderer { settleInMotion(at: now) }
        playhead.supply(to: end)
        guard !hasRenderer, playhead.isSupplied else { return }
        switch state {
        case .buffering: start(at: now)
        case .seeking(let seek): land(seek, at: now)
        default: break
        }
    }

    /// Media is available without gaps in `range`, at the target of the next turn.
    package mutating func mediaAvailable(atTurn range: MediaTimeRange) { playhead.supplyTurn(range) }

    /// Time has passed. The playhead may have reached the end of the available media or of the source, or its turn, and
    /// the phase may have timed out.
    package mutating func tick(at now: Int64) {
        if arrival != nil, let goal = playhead.goal, playhead(at: now) >= goal { arrive(at: now) }
        guard let timeout = timer.expire(phase.name, at: now) else { return }
        note(.timedOut(phase.name, after: timeout))
        if case .seeking(var seek) = state, !seek.isStalled {
            seek.isStalled = true
            state = .seeking(seek)
            note(.seek(SeekEvent(id: seek.id, stage: .stalled, target: seek.target)))
        }
    }

    // MARK: Opening

    /// The farthest target of a kept seek: beyond any timeline, but far from overflow.
    private static let farthest = MediaTime(microseconds: 1 << 53)

    /// Keeps a seek, which begins once the source is open. It supersedes a seek that was kept before.
    ///
    /// The playhead moves to the target at once, unless the target is the end or the live edge, whose position is not
    /// known yet.
    ///
    /// - Returns: `nil` when the source is not being opened.
    package mutating func keep(_ seek: SeekCommand) -> SeekAnswer? {
        guard case .opening(var opening) = state else { return nil }
        supersede()
        var kept = seek
        let wanted = seek.target.position(from: playhead.position)
        let place = wanted.map { min(max($0, .zero), Self.farthest) }
        if let place {
            kept.target = .position(place)
            playhead.jump(to: place)
        }
        if let thenPlay = seek.thenPlay { opening.thenPlay = thenPlay }
        kept.thenPlay = nil
        let id = nextSeek()
        opening.seek = PlayerOpening.Seek(id: id, command: kept)
        state = .opening(opening)
        return SeekAnswer(id: id, isClamped: place != wanted, isRejected: false)
    }

    /// The source is open and planned.
    ///
    /// - Parameter place: where playback begins unless a seek was kept. `nil` leaves the playhead in place.
    /// - Returns: the commands that arrived in the meantime. The caller, which knows the media, carries them out.
    @discardableResult
    package mutating func opened(startingAt place: MediaTime? = nil, at now: Int64) -> PlayerOpening {
        guard case .opening(let opening) = state else { return PlayerOpening() }
        if let place, opening.seek == nil { playhead.jump(to: place) }
        switch opening.rest {
        case _ where opening.thenPlay || opening.seek != nil: enter(.ready, at: now)
        case .ended where playhead.isAtEnd: enter(.ended, at: now)
        case .paused, .ended: enter(.paused, at: now)
        case .ready: enter(.ready, at: now)
        }
        return opening
    }

    /// Another source is being opened in place of the old one, with its own settings. The requested rate is kept,
    /// clamped to the new range.
    package mutating func reopened(
        at start: MediaTime,
        opening: PlayerOpening = PlayerOpening(),
        settings: PlayerSettings,
        at now: Int64
    ) {
        if case .stopping = state { return }
        supersede()
        timer.timeouts = settings.timeouts
        rateRange = settings.rateRange
        _ = setRate(requestedRate, at: now)
        playhead.reopen(at: start)
        enter(.opening(opening), at: now)
    }

    // MARK: Commands

    /// Starts playback. At the end it starts over, also if a seek has led there and the session does not play. Before
    /// the source is open the command is kept until then; after a failure it does nothing.
    ///
    /// - Parameter canStartOver: `false` to continue what was played before: at the end, that has ended.
    /// - Returns: the id of the seek that this begins, as `SeekEvent.id`; `nil` if it begins none.
    @discardableResult
    package mutating func play(startingOver canStartOver: Bool = true, at now: Int64) -> UInt64? {
        let startsOver = canStartOver && playhead.isAtEnd && !wantsToPlay
        switch state {
        case .ended: return startOver(at: now)
        case .ready where startsOver, .paused where startsOver, .pausing where startsOver, .seeking where startsOver:
            return startOver(at: now)
        case .ready, .paused, .pausing: hasRenderer ? enter(.play, at: now) : start(at: now)
        case .seeking, .opening: state.plan(toPlay: true)
        case .play, .playing, .buffering, .idle, .stopping, .error: break
        }
        return nil
    }

    private mutating func startOver(at now: Int64) -> UInt64 {
        let id = nextSeek()
        begin(Seek(id: id, target: .zero, thenPlay: true), at: now)
        return id
    }

    package mutating func pause(at now: Int64) {
        switch state {
        case .playing, .buffering, .play:
            settle(at: now)
            enter(hasRenderer ? .pausing : .paused, at: now)
        case .seeking, .opening: state.plan(toPlay: false)
        case .ready, .pausing, .paused, .ended, .idle, .stopping, .error: break
        }
    }

    /// Moves the playhead, clamped to the timeline. Rejected unless the source is open; until then, see `keep`.
    ///
    /// - Parameter number: the id of a seek that was kept; `nil` for a new seek.
    /// - Parameter thenPlay: whether to play from the target; `nil` to play if it was playing before.
    package mutating func seek(
        to target: MediaTime,
        thenPlay: Bool? = nil,
        as number: UInt64? = nil,
        at now: Int64
    ) -> SeekAnswer {
        let clamped = playhead.clamped(target)
        let id = number ?? nextSeek()
        let hasEnded = state == .ended
        switch state {
        case .idle, .opening, .stopping, .error:
            note(.seek(SeekEvent(id: id, stage: .rejected, target: clamped)))
            return SeekAnswer(id: id, isClamped: clamped != target, isRejected: true)
        case .play, .playing, .buffering, .seeking, .ready, .pausing, .paused, .ended: break
        }
        let seek = Seek(id: id, target: clamped, thenPlay: thenPlay ?? wantsToPlay)
        begin(seek, at: now)
        if hasEnded, hasRenderer, !seek.thenPlay { note(.leftEnd) }
        return SeekAnswer(id: id, isClamped: clamped != target, isRejected: false)
    }

    /// - Returns: whether the rate was clamped to the allowed range.
    package mutating func setRate(_ rate: Double, at now: Int64) -> Bool {
        let wanted = rate.isNaN ? 1 : rate
        let clamped = min(max(wanted, rateRange.lowerBound), rateRange.upperBound)
        playhead.requestedRate = clamped
        if !hasRenderer, state.movingSince != nil {
            settleInMotion(at: now)
            playhead.takeRequestedRate()
        }
        return clamped != rate
    }

    package mutating func setLooping(_ isLooping: Bool) { playhead.isLooping = isLooping }

    /// Repeats the part of the timeline between `points` from now on; `nil` ends the repetition.
    package mutating func setLoopPoints(_ points: LoopPoints?, at now: Int64) {
        settleInMotion(at: now)
        playhead.repeating(points)
    }

    // MARK: Ending

    package mutating func failed(_ error: EngineError, at now: Int64) {
        guard let next = state.afterFailure(error) else { return }
        settle(at: now)
        supersede()
        enter(next, at: now)
    }

    /// The source may be readable again: once `opened`, the session continues with what the failure interrupted.
    package mutating func revived(at now: Int64) {
        if let interrupted = state.interrupted { enter(.opening(interrupted), at: now) }
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

    // MARK: The renderer

    /// A renderer takes over the playhead: its reports determine the state, whether or not a command caused the change.
    /// If the session is playing or buffering, it enters `play` until the renderer reports that it plays.
    package mutating func rendererAttached(at now: Int64) {
        guard !hasRenderer else { return }
        settle(at: now)
        playhead.takeRenderer()
        switch state {
        case .playing, .buffering: enter(.play, at: now)
        default: break
        }
    }

    /// The renderer is gone. The virtual clock continues from the playhead, extrapolated from the renderer's last
    /// report.
    package mutating func rendererDetached(at now: Int64) {
        guard hasRenderer else { return }
        settle(at: now)
        playhead.leaveRenderer()
        switch state {
        case .play, .playing, .buffering: enter(playhead.isAtEnd ? .ended : .buffering, at: now)
        case .pausing: enter(.paused, at: now)
        default: break
        }
    }

    package mutating func rendererReported(_ report: RendererReport, at now: Int64) {
        guard hasRenderer else { return }
        switch state {
        case .idle, .opening, .stopping, .error: return
        case .seeking(let seek) where report.seekID < seek.id: return
        case .seeking(let seek):
            note(.seek(SeekEvent(id: seek.id, stage: .landed, target: seek.target)))
        default: break
        }
        if case .playing = state, playhead.hasPassedTurn(report, expected: playhead(at: now)), let turn {
            return begin(Seek(id: nextSeek(), target: turn.target, thenPlay: true), at: now)
        }
        let next: State =
            if report.hasEnded {
                .ended
            } else if report.isBuffering {
                .buffering
            } else if report.rate > 0 {
                .playing(since: now)
            } else {
                resting(at: now)
            }
        playhead.report(report.position, rate: report.rate)
        // Only a report of a position before the last half second leaves `ended`.
        if case .ended = state, playhead.isNearEnd { return }
        enter(next, at: now)
    }

    /// The state while the playhead does not move. A session that was just asked to play, that has never played, or
    /// that plays at rate 0 is not paused.
    private func resting(at now: Int64) -> State {
        switch state {
        case _ where requestedRate == 0 && wantsToPlay: .playing(since: now)
        case .ready: .ready
        case .play: .play
        case .seeking(let seek): seek.thenPlay ? .play : .paused
        default: .paused
        }
    }

    // MARK: Steps

    private mutating func nextSeek() -> UInt64 {
        lastSeek += 1
        return lastSeek
    }

    private mutating func settle(at now: Int64) { playhead.settle(since: state.movingSince, at: now) }

    /// If the playhead moves, restarts its motion at the current position.
    private mutating func settleInMotion(at now: Int64) {
        guard state.movingSince != nil else { return }
        settle(at: now)
        state = .playing(since: now)
    }

    private mutating func supersede() {
        switch state {
        case .seeking(let seek):
            note(.seek(SeekEvent(id: seek.id, stage: .superseded, target: seek.target)))
        case .opening(let opening):
            guard let seek = opening.seek else { return }
            note(.seek(SeekEvent(id: seek.id, stage: .superseded, target: playhead.position)))
        case .idle, .ready, .play, .playing, .pausing, .paused, .buffering, .ended, .stopping, .error: break
        }
    }

    private mutating func begin(_ seek: Seek, at now: Int64) {
        supersede()
        note(.seek(SeekEvent(id: seek.id, stage: .began, target: seek.target)))
        playhead.jump(to: seek.target)
        // Each seek has its full time-out.
        if case .seeking = state { timer.restart(at: now) }
        enter(.seeking(seek), at: now)
    }

    private mutating func land(_ seek: Seek, at now: Int64) {
        note(.seek(SeekEvent(id: seek.id, stage: .landed, target: seek.target)))
        if seek.thenPlay { start(at: now) } else { enter(.paused, at: now) }
    }

    private mutating func start(at now: Int64) {
        if playhead.isAtEnd {
            enter(.ended, at: now)
        } else if playhead.hasMedia {
            playhead.takeRequestedRate()
            enter(.playing(since: now), at: now)
        } else {
            enter(.buffering, at: now)
        }
    }

    /// The playhead has reached the end of the available media, or its turn.
    private mutating func arrive(at now: Int64) {
        let (reached, turn) = (playhead(at: now), playhead.turn)
        settle(at: now)
        guard let turn, reached >= turn.place else { return enter(playhead.isAtEnd ? .ended : .buffering, at: now) }
        // With a renderer, a turn is a seek.
        if hasRenderer { return begin(Seek(id: nextSeek(), target: turn.target, thenPlay: true), at: now) }
        note(.looped)
        playhead.take(turn)
        if playhead.hasMedia { state = .playing(since: now) } else { enter(.buffering, at: now) }
    }
}

/// Reports that a phase has lasted too long, once each time it is entered. A plain value.
private struct PhaseTimer: Sendable {
    /// How long each phase may last. Phases not listed have no limit.
    var timeouts: [Phase.Name: Duration]
    private var enteredAt: Int64
    private var hasTimedOut = false

    init(_ timeouts: [Phase.Name: Duration], at now: Int64) {
        self.timeouts = timeouts
        enteredAt = now
    }

    mutating func restart(at now: Int64) {
        enteredAt = now
        hasTimedOut = false
    }

    /// When the phase times out. `nil` if it has no limit, or has timed out before.
    func deadline(of phase: Phase.Name) -> Int64? {
        hasTimedOut ? nil : timeouts[phase].map { enteredAt + $0.nanoseconds }
    }

    /// - Returns: how long the phase may last, if it times out now.
    mutating func expire(_ phase: Phase.Name, at now: Int64) -> Duration? {
        guard !hasTimedOut, let timeout = timeouts[phase], now >= enteredAt + timeout.nanoseconds else { return nil }
        hasTimedOut = true
        return timeout
    }
}
