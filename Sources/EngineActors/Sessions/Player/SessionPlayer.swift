// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The player of a session, which outlives its sources: the state machine, the audio controls, and the renderer that is
/// attached. A plain value, except for the renderer's `CommandReceiver`.
struct SessionPlayer: Sendable {
    var machine: PlayerStateMachine
    private(set) var controls = PlayerControls()
    private(set) var renderer: RendererLink?
    /// Changes already sent to the renderer but not yet published to the observers.
    private var effects: [PlayerStateMachine.Effect] = []

    init(_ machine: PlayerStateMachine) { self.machine = machine }

    /// Restores what a record holds.
    mutating func restore(_ record: SessionRecord, at now: Int64) {
        _ = machine.setRate(record.rate, at: now)
        controls = PlayerControls(volume: record.volume, isMuted: record.isMuted, delays: record.delays)
        machine.setLooping(record.isLooping)
        machine.setLoopPoints(record.loopPoints, at: now)
    }

    // MARK: Commands

    /// Carries out a command of a client, and passes it on to the renderer.
    mutating func perform(_ command: PlayerCommand, in media: SessionMedia, at now: Int64) -> CommandOutcome {
        let wished = machine.wantsToPlay
        machine.tick(at: now)
        let outcome = apply(command, in: media, at: now)
        passOn(at: now)
        if machine.wantsToPlay != wished { send(machine.wantsToPlay ? .play : .pause, at: now) }
        adoptMedia(in: media, at: now)
        return outcome
    }

    private mutating func apply(
        _ command: PlayerCommand,
        in media: SessionMedia,
        at now: Int64
    ) -> CommandOutcome {
        switch command {
        case .play: return .init(seek: machine.play(at: now))
        case .pause: machine.pause(at: now)
        case .seek(let seek): return apply(seek, in: media, at: now)
        case .setRate(let rate):
            let before = machine.requestedRate
            let isClamped = machine.setRate(rate, at: now)
            if machine.requestedRate != before { send(.rate(machine.requestedRate), at: now) }
            return .init(isClamped: isClamped)
        case .setVolume(let volume):
            let clamped = min(max(volume, 0), 1)
            if controls.volume != clamped { send(.volume(clamped), at: now) }
            controls.volume = clamped
            return .init(isClamped: clamped != volume)
        case .setMuted(let isMuted):
            if controls.isMuted != isMuted { send(.muted(isMuted), at: now) }
            controls.isMuted = isMuted
        case .setLooping(let isLooping): machine.setLooping(isLooping)
        case .setLoopPoints(let points):
            let clamped = points.map { $0.clamped(to: media.finalDuration) ?? $0 }
            machine.setLoopPoints(clamped, at: now)
            return .init(isClamped: clamped != points)
        case .setAudioDelay(let delay): return .init(isClamped: controls.delays.setAudio(delay))
        case .setSubtitleDelay(let delay): return .init(isClamped: controls.delays.setSubtitles(delay))
        case .skipChapter(let step):
            guard let target = media.opened?.chapters.target(step, from: machine.playhead(at: now)) else { break }
            return .init(seek: machine.seek(to: target, at: now).id)
        }
        return .init()
    }

    private mutating func apply(
        _ seek: SeekCommand,
        in media: SessionMedia,
        at now: Int64
    ) -> CommandOutcome {
        if let answer = machine.keep(seek) { return .init(isClamped: answer.isClamped, seek: answer.id) }
        let playhead = machine.playhead(at: now)
        let target = media.seekTarget
        let requested = target.requested(seek.target, from: playhead)
        let answer = machine.seek(to: target.position(of: seek, from: playhead), thenPlay: seek.thenPlay, at: now)
        let isOutside = requested < .zero || media.duration.map { requested > $0 } ?? false
        return .init(isClamped: answer.isClamped || isOutside, seek: answer.id)
    }

    /// The session opens another source with its own settings, or the same source again with the state in its record.
    mutating func reopen(_ setup: SessionSetup, at now: Int64) {
        controls.delays = Delays()
        let start = setup.record?.position ?? setup.request.startPosition
        machine.reopened(at: max(.zero, start), opening: setup.opening, settings: setup.settings, at: now)
        if let left = setup.record { restore(left, at: now) }
    }

    /// The open source may be readable again: continues with what a failure interrupted.
    mutating func revive(in media: SessionMedia, at now: Int64) {
        machine.revived(at: now)
        perform(machine.opened(at: now), in: media, at: now)
    }

    /// Carries out the commands that arrived while the source was being opened.
    mutating func perform(_ asked: PlayerOpening, in media: SessionMedia, at now: Int64) {
        if let seek = asked.seek {
            let target = media.seekTarget.position(of: seek.command, from: machine.playhead(at: now))
            _ = machine.seek(to: target, thenPlay: asked.thenPlay, as: seek.id, at: now)
        }
        if asked.thenPlay { machine.play(startingOver: false, at: now) }
        passOn(at: now)
    }

    /// Tells the state machine which media is available at the playhead, so that it does not wait for media that is in
    /// memory.
    mutating func adoptMedia(in media: SessionMedia, at now: Int64) {
        guard machine.needsMedia, let media = media.opened,
            let available = media.available(around: machine.playhead(at: now))
        else { return }
        machine.mediaAvailable(to: available.end, at: now)
    }

    // MARK: Effects

    /// Sends the renderer the decisions of the state machine since the last call.
    private mutating func passOn(at now: Int64) {
        for effect in machine.takeEffects() {
            switch effect {
            case .seek(let event) where event.stage == .began:
                send(.seek(id: event.id, position: event.target), at: now)
            case .leftEnd: send(.pause, at: now)
            case .seek, .timedOut, .looped: break
            }
            effects.append(effect)
        }
    }

    /// Returns the effects since the last call, and clears them. Their commands have been sent to the renderer.
    mutating func takeEffects(at now: Int64) -> [PlayerStateMachine.Effect] {
        passOn(at: now)
        defer { effects = [] }
        return effects
    }

    // MARK: The renderer

    /// The renderer, unless it is the engine's own.
    var outsideRenderer: RendererLink? { renderer.flatMap { $0.isOwn ? nil : $0 } }

    /// The renderer moves the playhead from now on.
    mutating func attach(_ renderer: RendererLink, at now: Int64) {
        self.renderer = renderer
        machine.rendererAttached(at: now)
    }

    /// The renderer is gone. The virtual clock moves the playhead from now on.
    mutating func detach(at now: Int64) {
        renderer = nil
        machine.rendererDetached(at: now)
    }

    /// Detaches the renderer, if there is one, because of `error`.
    mutating func dismissRenderer(because error: EngineError, at now: Int64) {
        guard let renderer else { return }
        renderer.leave(error)
        detach(at: now)
    }

    /// The session has ended: sends `stop` to a renderer outside the engine.
    mutating func stopRenderer() {
        guard let link = outsideRenderer else { return }
        link.leave(nil)
        renderer = nil
    }

    /// Sends the renderer every command that it needs to match the session, now that there is something to play.
    mutating func startRenderer(url: String, at now: Int64) {
        send(.load(url: url, position: machine.playhead(at: now)), at: now)
        send(.rate(machine.requestedRate), at: now)
        send(.volume(controls.volume), at: now)
        send(.muted(controls.isMuted), at: now)
        if case .seeking(let seek) = machine.state { send(.seek(id: seek.id, position: seek.target), at: now) }
        send(machine.wantsToPlay ? .play : .pause, at: now)
    }

    private mutating func send(_ action: RendererCommand.Action, at now: Int64) { renderer?.send(action, at: now) }

    /// Takes a report of the renderer.
    ///
    /// - Returns: whether the report counts: the source is open, and the report was made after the last transport
    ///   command was carried out.
    mutating func take(_ report: RendererReport, isOpen: Bool, at now: Int64) -> Bool {
        guard renderer?.take(report, at: now) == true, isOpen else { return false }
        let last = machine.lastSeek
        machine.rendererReported(report, at: now)
        if machine.isLooping, case .ended = machine.phase { _ = machine.seek(to: .zero, thenPlay: true, at: now) }
        passOn(at: now)
        // After a seek, a renderer at the end resumes only at a `play` command.
        if report.hasEnded, machine.lastSeek != last { send(.play, at: now) }
        return true
    }

    /// When a silent renderer counts as lost. `nil` while it owes no report.
    var silenceMoment: Int64? {
        guard let link = outsideRenderer, isReportDue else { return nil }
        return link.heardAt + RendererLink.patience
    }

    private var isReportDue: Bool {
        switch machine.phase.name {
        // At rate 0 the playhead does not move, so no report is due.
        case .play, .playing, .buffering: machine.requestedRate > 0
        case .pausing, .seeking: true
        case .idle, .opening, .ready, .paused, .ended, .stopping, .error: false
        }
    }

    /// Gives the player to another session. The renderer has nothing to play until that session's source is open.
    mutating func handOver() -> SessionPlayer {
        var player = self
        player.renderer?.unload()
        renderer = nil
        return player
    }
}
