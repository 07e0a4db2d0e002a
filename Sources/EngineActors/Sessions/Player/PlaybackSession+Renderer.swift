// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Reading

// A front-end that plays the session's HLS. It receives commands, and its reports determine the session's state.
extension PlaybackSession {
    func attach(_ offer: RendererOffer, as number: UInt64, to sink: any RendererSink) throws(EngineError) {
        guard !isStopped else { throw EngineError(.sessionNotFound, "session \(id.rawValue) has no source to render") }
        if outputs.software != nil {
            throw EngineError(
                .pathConflict,
                "session \(id.rawValue) plays on the software path",
                cause: media.opened?.source.needsSoftware == true
                    ? "no other path can play its source" : "select the other path first"
            )
        }
        if let other = player.renderer {
            guard offer.replaces else {
                throw EngineError(.rendererConflict, "\(other.name) already renders session \(id.rawValue)")
            }
            let error = EngineError(.cancelled, "\(offer.name) took the renderer's place")
            player.dismissRenderer(because: error, at: monotonicNanoseconds())
        }
        change {
            let now = monotonicNanoseconds()
            counters.rendererAttached()
            player.attach(RendererLink(number: number, name: offer.name, sink: sink, at: now), at: now)
            startRenderer()
            return .restarts
        }
    }

    /// Sends a renderer every command it needs to match the session, once there is something to play.
    func startRenderer() {
        guard player.renderer != nil, media.isDescribed, media.opened != nil, let url = hub.state(of: id)?.url else {
            return
        }
        sendToRenderer(.load(url: url, position: player.machine.playhead(at: monotonicNanoseconds())))
        sendToRenderer(.rate(player.machine.requestedRate))
        sendToRenderer(.volume(player.controls.volume))
        sendToRenderer(.muted(player.controls.isMuted))
        if case .seeking(let seek) = player.machine.state { sendToRenderer(.seek(id: seek.id, position: seek.target)) }
        sendToRenderer(player.machine.wantsToPlay ? .play : .pause)
    }

    /// Does nothing before there is something to play: `startRenderer` sends the whole state then.
    func sendToRenderer(_ action: RendererCommand.Action) {
        guard media.isDescribed else { return }
        player.send(action, at: monotonicNanoseconds())
    }

    func take(_ report: RendererReport, from number: UInt64) {
        guard !isStopped, player.renderer?.number == number else { return }
        let now = monotonicNanoseconds()
        if counters.noteDropped(report.droppedFrames) { publishStatisticsSoon() }
        let isCurrent = player.hear(report, at: now)
        guard isCurrent, media.opened != nil else { return rearm() }
        change {
            player.machine.rendererReported(report, at: now)
            countDecoding()
            if player.machine.isLooping, case .ended = player.machine.phase {
                _ = player.machine.seek(to: .zero, thenPlay: true, at: now)
                publishEffects()
                sendToRenderer(.play)
            }
            hub.update(id) { $0.buffered = report.buffered }
            return .none
        }
    }

    func detach(_ number: UInt64, because reason: String) {
        guard let link = player.renderer, link.number == number else { return }
        change {
            player.detach(at: monotonicNanoseconds())
            hub.notice(id, Notice(.warning, "renderer.lost", "the renderer \(link.name) was lost: \(reason)"))
            return .restarts
        }
    }

    /// When a silent renderer counts as lost. `nil` while it owes no report.
    var silenceMoment: Int64? {
        guard let renderer = player.renderer, outputs.software == nil, media.opened != nil, isReportDue else {
            return nil
        }
        return renderer.heardAt + RendererLink.patience
    }

    private var isReportDue: Bool {
        switch player.machine.phase.name {
        // At rate 0 the playhead does not move, so no report is due.
        case .play, .playing, .buffering: player.machine.requestedRate > 0
        case .pausing, .seeking: true
        case .idle, .opening, .ready, .paused, .ended, .stopping, .error: false
        }
    }

    func dropSilentRenderer(at now: Int64) {
        guard let moment = silenceMoment, now >= moment, let link = player.renderer else { return }
        link.leave(EngineError(.unavailable, "the renderer sent no report for 5 s during playback"))
        detach(link.number, because: "it sent no report for 5 s")
    }
}
