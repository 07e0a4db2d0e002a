// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments

/// Moves the playhead of a session and publishes its position. Holds the player, the virtual clock with the media it
/// needs, the alarm, and the statistics.
///
/// The player changes in `change` and when the alarm rings, both of which publish the effects. Otherwise it changes
/// only when the session ends. Belongs to the session's actor.
final class SessionTransport {
    /// The effect of a change of the player on the virtual clock.
    enum ClockEffect {
        /// The clock is not affected, or sees the change when it wakes.
        case none
        /// The playhead has not moved: a sleeping clock that will wake in time is left alone. A clock that is no longer
        /// needed ends on its own.
        case continues
        /// The playhead may have been moved or started.
        case restarts
    }

    /// The shortest sleep of the alarm, in nanoseconds.
    private static let shortestSleep: Int64 = 1_000_000
    /// Anchors that deviate from each other by no more than this count as the same.
    private static let anchorTolerance = MediaTime(microseconds: 20_000)

    private let setup: SessionSetup
    private let media: SessionMedia
    private let subtitles: SessionSubtitles
    private(set) var player: SessionPlayer
    private var clock = SessionClock()
    private(set) var counters = SessionCounters()
    private var chase: LiveChase
    /// Signals when the player may have moved, started or stopped the playhead, and when a segment has been served.
    let moves = ChangeSignal()

    init(_ setup: SessionSetup, _ media: SessionMedia, _ subtitles: SessionSubtitles, _ player: SessionPlayer) {
        self.setup = setup
        self.media = media
        self.subtitles = subtitles
        self.player = player
        chase = LiveChase(setup.settings.chase)
    }

    deinit {
        clock.cancel()
        counters.cancel()
    }

    var playhead: MediaTime { player.machine.playhead(at: monotonicNanoseconds()) }

    // MARK: Changes

    /// Changes the player: publishes whatever `body` has changed, sets the alarm, and has the virtual clock follow.
    ///
    /// - Parameter body: changes the player at the given time. It must not use this object.
    @discardableResult
    func change<Value>(
        _ effect: ClockEffect = .none,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (inout SessionPlayer, Int64) -> Value
    ) -> Value {
        assert(isolation != nil, "a part of a session is used outside its actor")
        let value = body(&player, monotonicNanoseconds())
        settle(effect)
        return value
    }

    /// Updates the screen, the alarm and the clock after a change outside the player.
    func refresh(_ effect: ClockEffect = .none, isolation: isolated (any Actor)? = #isolation) {
        change(effect) { player, now in
            guard effect != .none else { return }
            player.machine.tick(at: now)
            player.adoptMedia(in: media, at: now)
        }
    }

    /// Carries out a command of a client.
    func perform(
        _ command: PlayerCommand,
        isolation: isolated (any Actor)? = #isolation
    ) -> CommandOutcome {
        let outcome = change(command.clockEffect) { player, now in player.perform(command, in: media, at: now) }
        if command == .play { rejoin() }
        if case .seek = command, let look = liveObservation { chase.moved(to: look.latency, target: look.target) }
        return outcome
    }

    /// Playback fails. If the error is recoverable, `SessionReviving` may continue it later.
    func fail(_ error: EngineError, isolation: isolated (any Actor)? = #isolation) {
        change { player, now in player.machine.failed(error, at: now) }
    }

    private func settle(_ effect: ClockEffect, isolation: isolated (any Actor)? = #isolation) {
        moves.signal()
        publishEffects()
        publishPlayer()
        follow()
        rearm()
        switch effect {
        case .none: break
        case .continues:
            let isEnding = clock.isAsleep && !player.machine.needsMedia
            if media.isStopped || !(isEnding || clock.wakes(before: player.machine.arrival)) { restartClock() }
        case .restarts: restartClock()
        }
    }

    private func publishEffects() {
        for effect in player.takeEffects(at: monotonicNanoseconds()) {
            switch effect {
            case .seek(let event): setup.hub.seek(setup.id, event)
            case .timedOut(let phase, let time):
                let seconds = Double(time.nanoseconds) / 1e9
                setup.publish(Notice(.warning, "player.timeout", "\(phase.rawValue) has lasted \(seconds) s"))
            case .leftEnd, .looped: break  // The renderer's reports or the published position show it.
            }
        }
    }

    private func publishPlayer(isolation: isolated (any Actor)? = #isolation) {
        let now = monotonicNanoseconds()
        let phase = player.machine.phase
        count { $0.noteStall(phase.name, at: now) }
        let anchor = player.machine.anchor(at: now)
        let chapter = media.opened?.chapters.index(at: player.machine.playhead(at: now))
        let controls = player.controls
        let (isLooping, loopPoints) = (player.machine.isLooping, player.machine.loopPoints)
        let name = player.outsideRenderer?.name
        setup.publish { state in
            state.phase = phase
            state.chapter = chapter
            state.volume = controls.volume
            state.isMuted = controls.isMuted
            state.isLooping = isLooping
            state.loopPoints = loopPoints
            if state.delays != controls.delays { state.delay(by: controls.delays) }
            state.renderer = name
            if !anchor.continues(state.position, within: Self.anchorTolerance) { state.position = anchor }
        }
    }

    /// Publishes the cues on screen at the playhead, and has the subtitle decoder follow.
    private func follow() {
        subtitles.follow(playhead, delayedBy: player.controls.delays.subtitles)
    }

    /// The media around the playhead that a player can fetch without waiting. `nil` while a renderer reports its own.
    var bufferedRanges: [MediaTimeRange]? {
        guard player.renderer == nil else { return nil }
        return media.opened?.available(around: playhead).map { [$0] } ?? []
    }

    // MARK: The clock

    /// The plan has grown, or will not grow any more. A clock that waited for it continues.
    func planHasGrown(isolation: isolated (any Actor)? = #isolation) {
        if !rejoin(), clock.awaitsPlan { restartClock() }
    }

    /// Moves the playhead into the window of a live source if it has left that. Nobody waits for the media while the
    /// session is not to play, so the playhead is then moved only after a failure.
    ///
    /// - Parameter failure: as for `OpenedMedia.rejoining`.
    /// - Returns: whether the playhead was moved, or the clock waits for later media.
    @discardableResult
    private func rejoin(after failure: EngineError? = nil, isolation: isolated (any Actor)? = #isolation) -> Bool {
        let place = playhead
        // Until a restored session is described, its position is still that of the earlier process.
        guard media.isDescribed, player.machine.wantsToPlay || failure != nil else { return false }
        switch media.opened?.rejoining(from: place, after: failure) {
        case nil: return false
        case .waits: awaitPlan()
        case .moves(let target):
            let text =
                "the position \(place.seconds) s has left the window of the source; playback continues "
                + "\((target - place).seconds) s later, at \(target.seconds) s"
            setup.publish(Notice(.warning, "live.behind_window", text))
            change(.restarts) { player, now in
                _ = player.perform(.seek(SeekCommand(.position(target))), in: media, at: now)
            }
        }
        return true
    }

    /// The live edge of the source has moved, or the source is no longer live.
    func chaseEdge(isolation: isolated (any Actor)? = #isolation) {
        let command: PlayerCommand
        switch chase.update(liveObservation) {
        case .none: return
        case .rate(let rate): command = .setRate(rate)
        case .seek:
            command = .seek(SeekCommand(.live))
            setup.publish(
                Notice(.info, "live.skipped", "playback was too far behind the live edge, and continues near it")
            )
        }
        change(.restarts) { player, now in _ = player.perform(command, in: media, at: now) }
    }

    /// The state of playback relative to the live edge. `nil` unless the source is live.
    private var liveObservation: LiveChase.Observation? {
        let now = monotonicNanoseconds()
        let live = media.opened?.live(playing: player.machine.playhead(at: now), at: now, clock: 0)
        return live.map { LiveChase.Observation($0, playedBy: player.machine) }
    }

    private func restartClock(isolation: isolated (any Actor)? = #isolation) {
        guard player.machine.needsMedia, !media.isStopped else { return clock.restart(nil) }
        // Ends on its own, or when the clock is restarted or stopped.
        let task = Task {
            _ = isolation
            await self.runClock()
        }
        clock.restart(task)
    }

    /// Requests media for as long as the playhead needs it, as a player at the same position would.
    private func runClock() async {
        while !Task.isCancelled, player.machine.needsMedia, let media = media.opened {
            // The playhead needs none of the segments that are planned so far.
            guard !media.isUnplanned(playhead) else { return awaitPlan() }
            let index = media.segment(at: playhead)
            do throws(EngineError) {
                try await media.producer.ensure(index)
            } catch {
                if !Task.isCancelled, !rejoin(after: error) { fail(error) }
                return
            }
            // A segment that was fetched counts as available, even if the cache is too small to keep it.
            let end = max(index + 1, media.producer.contiguousEnd(from: index))
            let isLast = end >= media.plan.segmentCount && media.plan.isComplete
            // Request the next segment too, so that it is available before the playhead reaches it.
            if end < media.plan.segmentCount, end - index < 2 { media.prefetch(end) }
            let reached = self.media.endTime(ofSegment: end - 1)
            let turn = player.machine.turn.flatMap { reached >= $0.place ? $0 : nil }
            if let turn { await prepare(turn, media) }
            guard !Task.isCancelled else { return }
            let now = change { player, now in
                player.machine.mediaAvailable(to: reached, at: now)
                player.machine.tick(at: now)
                return now
            }
            publishBuffered()
            guard player.machine.needsMedia, !Task.isCancelled else { return }
            guard let deadline = player.machine.arrival else {
                // At rate 0 nothing happens until the next command. Otherwise the playhead is at the end of the plan.
                if case .playing = player.machine.phase { return }
                return awaitPlan()
            }
            let sleep = SessionClock.Sleep(until: deadline, isEnough: isLast || turn != nil, now: now)
            clock.begin(sleep)
            do {
                try await Task.sleep(for: .nanoseconds(max(0, sleep.wake - monotonicNanoseconds())))
            } catch {
                return
            }
            guard !Task.isCancelled else { return }
            clock.endSleep()
            change { player, now in player.machine.tick(at: now) }
        }
    }

    /// The clock continues once the plan has grown. If it will not grow, because the scan has failed, playback fails.
    private func awaitPlan(isolation: isolated (any Actor)? = #isolation) {
        if let failure = media.scan.failure { fail(failure) } else { clock.awaitPlan() }
    }

    /// Fetches the media at the target of a turn before the playhead turns, so that looping leaves no gap.
    private func prepare(_ turn: Playhead.Turn, _ media: OpenedMedia) async {
        let first = media.segment(at: turn.target)
        do throws(EngineError) {
            for index in first..<min(first + 2, media.plan.segmentCount) { try await media.producer.ensure(index) }
        } catch {
            // The loop then begins with buffering, and the clock reports the error.
            return
        }
        let end = media.producer.contiguousEnd(from: first)
        guard end > first else { return }
        let range = MediaTimeRange(start: turn.target, end: self.media.endTime(ofSegment: end - 1))
        change { player, _ in player.machine.mediaAvailable(atTurn: range) }
    }

    private func publishBuffered() {
        guard let buffered = bufferedRanges else { return }
        setup.publish { $0.buffered = buffered }
    }

    // MARK: The alarm

    /// Sets the alarm to the next moment at which something changes.
    private func rearm(isolation: isolated (any Actor)? = #isolation) {
        guard !media.isStopped else { return clock.stopAlarm() }
        let now = monotonicNanoseconds()
        // Anything overdue has just been handled.
        guard let due = clock.expect(nextMoment.map { max($0, now + Self.shortestSleep) }) else { return }
        // Cancelled by the alarm that replaces it, or when the session ends.
        let alarm = Task { [weak self] in
            _ = isolation
            do { try await Task.sleep(for: .nanoseconds(due - now)) } catch { return }
            self?.ring(due)
        }
        clock.arm(alarm, for: due)
    }

    private func ring(_ wake: Int64, isolation: isolated (any Actor)? = #isolation) {
        guard !media.isStopped, clock.woke(at: wake) else { return }
        let now = monotonicNanoseconds()
        guard clock.isDue(at: now) else { return rearm() }
        dropSilentRenderer(at: now)
        let (before, place) = (player.machine.phase.name, player.machine.playhead(at: now))
        player.machine.tick(at: now)
        let hasJumped = player.machine.playhead(at: now) < place
        let isConcerned = player.machine.needsMedia && (hasJumped || player.machine.phase.name != before)
        settle(isConcerned ? .restarts : .none)
    }

    private var nextMoment: Int64? {
        let silence = media.opened == nil ? nil : player.silenceMoment
        return [player.machine.deadline, silence, playheadMoment].compactMap(\.self).min()
    }

    /// When the playhead enters the next chapter, or the subtitles need an update.
    private var playheadMoment: Int64? {
        let anchor = player.machine.anchor(at: 0)
        guard anchor.rate > 0, let media = media.opened else { return nil }
        let place = playhead
        let chapter = media.chapters.isEmpty ? nil : media.chapters.boundary(after: place)
        let cue = subtitles.nextMoment(after: place)
        return [chapter, cue].compactMap(\.self).min().flatMap { anchor.arrival(at: $0) }
    }

    // MARK: Renderers

    /// The renderer of `link` moves the playhead from now on. It gets the state of the session once there is something
    /// to play.
    ///
    /// - Parameter reason: why a renderer that is already attached is dismissed.
    func attach(_ link: RendererLink, because reason: EngineError, isolation: isolated (any Actor)? = #isolation) {
        counters.rendererAttached()
        change(.restarts) { player, now in
            player.dismissRenderer(because: reason, at: now)
            player.attach(link, at: now)
        }
        startRenderer()
    }

    /// Sends a renderer every command it needs to match the session, once there is something to play.
    func startRenderer(isolation: isolated (any Actor)? = #isolation) {
        guard player.renderer != nil, media.isDescribed, media.opened != nil,
            let url = setup.hub.state(of: setup.id)?.url
        else { return }
        change { player, now in player.startRenderer(url: url, at: now) }
    }

    /// - Returns: whether the report counts.
    func take(
        _ report: RendererReport,
        from number: UInt64,
        isolation: isolated (any Actor)? = #isolation
    ) -> Bool {
        guard !media.isStopped, player.renderer?.number == number else { return false }
        count { $0.noteDropped(report.droppedFrames) }
        let isOpen = media.opened != nil
        return change { player, now in
            let counts = player.take(report, isOpen: isOpen, at: now)
            if counts { setup.publish { $0.buffered = report.buffered } }
            return counts
        }
    }

    /// Detaches the renderer `number`, if it still is the session's.
    func detach(_ number: UInt64, because reason: String, isolation: isolated (any Actor)? = #isolation) {
        guard let link = player.renderer, link.number == number else { return }
        change(.restarts) { player, now in
            player.detach(at: now)
            setup.publish(Notice(.warning, "renderer.lost", "the renderer \(link.name) was lost: \(reason)"))
        }
    }

    /// The engine's own renderer `number` has ended. If the session has ended too, nothing is published.
    func ended(_ number: UInt64, isolation: isolated (any Actor)? = #isolation) {
        counters.decodingEnded()
        guard player.renderer?.number == number else { return }
        guard !media.isStopped else { return player.detach(at: monotonicNanoseconds()) }
        change(.restarts) { player, now in player.detach(at: now) }
    }

    private func dropSilentRenderer(at now: Int64, isolation: isolated (any Actor)? = #isolation) {
        guard media.opened != nil, let moment = player.silenceMoment, now >= moment, let link = player.renderer else {
            return
        }
        link.leave(EngineError(.unavailable, "the renderer sent no report for 5 s during playback"))
        detach(link.number, because: "it sent no report for 5 s")
    }

    // MARK: Statistics

    /// Changes the counters.
    ///
    /// - Parameter body: returns whether the statistics changed. If so, they are published at once, or a second after
    ///   the last publication.
    func count(isolation: isolated (any Actor)? = #isolation, _ body: (inout SessionCounters) -> Bool) {
        assert(isolation != nil, "a part of a session is used outside its actor")
        guard body(&counters), !media.isStopped, let wait = counters.wait(at: monotonicNanoseconds()) else { return }
        // Cancelled when the session ends.
        let publishing = Task { [weak self] in
            _ = isolation
            do { try await Task.sleep(for: .nanoseconds(wait)) } catch { return }
            self?.publishStatistics()
        }
        counters.publish(soon: publishing)
    }

    /// A segment of the source has been sent to a player.
    func noteServed(_ segment: Int, isolation: isolated (any Actor)? = #isolation) {
        count { $0.noteServed(segment) }
        moves.signal()
    }

    private func publishStatistics(isolation: isolated (any Actor)? = #isolation) {
        counters.published(at: monotonicNanoseconds())
        guard let source = media.source, !media.isStopped else { return }
        counters.note(bytesRead: source.bytesRead, traffic: source.traffic, residentBytes: residentMemory())
        let statistics = counters.statistics
        setup.publish { $0.statistics = statistics }
        // While the source repeats its requests, their number grows without any other event, so the statistics are
        // published again a second later, until the source has failed.
        if case .retrying? = setup.hub.state(of: setup.id)?.sourceWait, source.isUsable { count { _ in true } }
    }

    // MARK: Ending

    /// Gives the player to another session.
    func handOver() -> SessionPlayer { player.handOver() }

    /// Dismisses the renderer outside the engine: the session has ended.
    func stopRenderer() { player.stopRenderer() }

    /// Stops the clock, the alarm and the statistics: the session is stopped.
    func stop() {
        clock.stop()
        clock.stopAlarm()
        counters.cancel()
    }
}

extension PositionAnchor {
    /// Whether this anchor describes the same motion as `earlier`. For anchors at rest only the position counts, not
    /// the time; a moving anchor must lie on the same line, within `tolerance`.
    func continues(_ earlier: PositionAnchor, within tolerance: MediaTime) -> Bool {
        guard rate == earlier.rate, requestedRate == earlier.requestedRate else { return false }
        guard rate != 0 else { return position == earlier.position }
        let drift = position - earlier.position(at: monotonicNanoseconds)
        return drift <= tolerance && .zero - drift <= tolerance
    }
}
