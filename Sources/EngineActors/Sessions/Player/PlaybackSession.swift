// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading
internal import Segments
internal import Stills
internal import Subtitles

/// One loaded source: its plan, its segment producer, its clock and its published state.
///
/// Never blocks and never makes segments itself. Owned by the engine; called by the engine and by the loopback routes.
package actor PlaybackSession {
    /// How the session came to be.
    package enum Origin: Sendable {
        case new
        /// Restored from the record of an earlier process.
        case restored(SessionRecord)
        /// Replaces this older session, which has the same id.
        case replacing(PlaybackSession)

        /// What the player does once the source is open, unless commands change it in the meantime.
        fileprivate func opening(_ record: SessionRecord) -> PlayerStateMachine.Opening {
            switch self {
            case .new, .replacing: .init(thenPlay: record.request.options.isAutoplay)
            case .restored(let left): .init(thenPlay: left.isPlaying, rest: left.rest)
            }
        }
    }

    nonisolated let setup: SessionSetup
    nonisolated let hub: EventHub
    var media: SessionMedia
    var serving = SessionServing()
    var subtitles: SessionSubtitles
    var player: SessionPlayer
    /// While it has a renderer of the engine's own, the player is attached to that one.
    var outputs: SessionOutputs
    var counters = SessionCounters()
    var clock = SessionClock()
    var inheritance: Task<Inheritance, Never>?
    var isStopped = false
    var ledger = SessionLedger()

    package init(
        record: SessionRecord,
        origin: Origin,
        hub: EventHub,
        plans: PlanStore,
        budget: Int,
        settings: PlayerSettings
    ) {
        setup = SessionSetup(record, origin, settings)
        self.hub = hub
        subtitles = SessionSubtitles(record.request.options.subtitles, files: record.sidecars)
        media = SessionMedia(plans: plans, budget: budget, audio: record.audio ?? record.request.options.audio)
        outputs = SessionOutputs(path: record.path, record.treatment)
        player = SessionPlayer(
            PlayerStateMachine(
                position: max(.zero, record.position),
                opening: origin.opening(record),
                settings: setup.settings,
                at: monotonicNanoseconds()
            )
        )
        switch origin {
        case .new: break
        case .restored(let left): player.restore(left, at: monotonicNanoseconds())
        case .replacing(let old):
            // Ends soon on its own: nothing in it waits for media.
            inheritance = Task { await old.handOver() }
        }
    }

    deinit {
        media.cancel()
        clock.cancel()
        counters.publishing?.cancel()
        subtitles.cancel()
        outputs.software?.running.cancel()
    }

    /// Everything that is needed to restore this session.
    package func record() -> SessionRecord {
        var record = SessionRecord(id: id, token: token, request: request)
        record.sidecars = subtitles.sidecars.records
        record.request.options.subtitles = subtitles.recorded
        record.position = player.machine.playhead(at: monotonicNanoseconds())
        record.rate = player.machine.requestedRate
        record.volume = player.controls.volume
        record.isMuted = player.controls.isMuted
        record.isLooping = player.machine.isLooping
        record.treatment = outputs.look.treatment
        record.isPlaying = player.machine.wantsToPlay
        record.rest = player.machine.rest
        record.audio = media.wantedAudio == request.options.audio ? nil : media.wantedAudio
        record.path = outputs.wantedPath
        record.announcedSegments = media.opened?.plan.segmentCount ?? restored?.announcedSegments ?? 0
        record.sealedTargetDuration = media.opened.map(\.sealedTargetDuration) ?? restored?.sealedTargetDuration
        return record
    }

    // MARK: Ending

    package func setBudget(_ bytes: Int) async {
        media.setBudget(bytes)
        await media.opened?.producer.setBudget(bytes)
    }

    /// Ends the session at once: answers pending requests and releases threads.
    package func stop() async {
        if outputs.software == nil { player.stopRenderer() }
        await release()
    }

    func release() async {
        isStopped = true
        serving.admit()
        await endSoftware()
        outputs.sinks.ownDevice?.close()
        media.opener.interrupt()
        serving.shutDown()
        subtitles.interrupt()
        clock.stop()
        media.stopPlanning()
        counters.publishing?.cancel()
        rearm()
        await media.opened?.producer.stop()
        await stopSubtitles()
        media.close()
        await media.opener.close()
    }
}
