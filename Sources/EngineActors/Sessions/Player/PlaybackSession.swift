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

    /// What exists once the source is open.
    struct Media {
        let source: OpenedSource
        let producer: SegmentProducer
        /// The init segment for each track's first configuration; empty for tracks that are not served.
        let inits: [ByteBody]
        var plan: SegmentPlan
        var trackEnds: [MediaTime?]
        /// The TARGETDURATION of playlists that were published before the plan was complete: it must not change. `nil`
        /// if the plan was complete first.
        var sealedTargetDuration: Int?
        /// On the session's timeline.
        var chapters: [Chapter] = []
        /// The stream that holds the cover art.
        var cover: StreamDescription?
    }

    package nonisolated let id: SessionID
    package nonisolated let token: String
    /// Whether the session replaced another one with the same id.
    nonisolated let isReplacement: Bool
    nonisolated let request: LoadRequest
    /// The record of an earlier process; `nil` unless the session was restored.
    nonisolated let restored: SessionRecord?
    nonisolated let hub: EventHub
    nonisolated let plans: PlanStore
    nonisolated let opener = Demuxer(name: "demux-1")
    nonisolated let settings: PlayerSettings
    var budget: Int
    var media: Media?
    /// The requested audio track: from the load request, or from a later command.
    var wantedAudio: AudioSelection
    var audio: AudioTracks?
    var subtitles: SessionSubtitles
    /// Reads single keyframes. Created when the first one is requested.
    var keyframes: KeyframeReader?
    var sheets = StoryboardSheets()
    var machine: PlayerStateMachine
    var controls = PlayerControls()
    /// The adjustments, filters and overlays that are applied to decoded frames.
    var look: PictureLook
    /// The position of each overlay, by overlay name.
    var overlayBounds: [String: OverlayBounds] = [:]
    var renderer: RendererLink?
    /// The engine's own renderer. While it is set, `renderer` is the link to it.
    var software: SoftwareLink?
    var lastSoftware = SoftwareLink.firstNumber
    var outputs = SoftwareOutputs()
    /// The path that a client selected. `nil`: the source decides, and whether any output is attached.
    var wantedPath: PlaybackPath?
    var counters = SessionCounters()
    var clock: Task<Void, Never>?
    /// Set while the clock sleeps.
    var clockSleep: ClockSleep?
    var alarm = Alarm()
    /// Whether the clock is waiting for a scan to reach the playhead.
    var awaitsPlan = false
    var inheritance: Task<Inheritance, Never>?
    var planning: Task<Void, Never>?
    var reports: Task<Void, Never>?
    var isStopped = false
    /// Makes stills. Created when the first one is requested.
    var extractor: FrameExtractor?
    /// Requests that wait for the source to be opened.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var ledger = SessionLedger()
    /// Whether the description of the source has been published.
    var isDescribed = false

    package init(
        record: SessionRecord,
        origin: Origin,
        hub: EventHub,
        plans: PlanStore,
        budget: Int,
        settings: PlayerSettings
    ) {
        id = record.id
        token = record.token
        request = record.request
        self.hub = hub
        self.plans = plans
        self.budget = budget
        self.settings = settings.overridden(by: record.request.options)
        subtitles = SessionSubtitles(record.request.options.subtitles, files: record.sidecars)
        wantedAudio = record.audio ?? record.request.options.audio
        wantedPath = record.path
        look = PictureLook(record.treatment)
        machine = PlayerStateMachine(
            position: max(.zero, record.position),
            opening: origin.opening(record),
            settings: self.settings,
            at: monotonicNanoseconds()
        )
        switch origin {
        case .new:
            restored = nil
            isReplacement = false
        case .restored(let left):
            restored = left
            isReplacement = false
            _ = machine.setRate(left.rate, at: monotonicNanoseconds())
            controls = PlayerControls(volume: left.volume, isMuted: left.isMuted)
            machine.setLooping(left.isLooping)
        case .replacing(let old):
            restored = nil
            isReplacement = true
            // Ends soon on its own: nothing in it waits for media.
            inheritance = Task { await old.handOver() }
        }
    }

    deinit {
        // A task that reads a stream without a producer would wait forever.
        reports?.cancel()
        planning?.cancel()
        clock?.cancel()
        alarm.task?.cancel()
        counters.publishing?.cancel()
        subtitles.cancel()
        software?.running.cancel()
    }

    /// Everything that is needed to restore this session.
    package func record() -> SessionRecord {
        var record = SessionRecord(id: id, token: token, request: request)
        record.sidecars = subtitles.sidecars.records
        record.request.options.subtitles = subtitles.recorded
        record.position = machine.playhead(at: monotonicNanoseconds())
        record.rate = machine.requestedRate
        record.volume = controls.volume
        record.isMuted = controls.isMuted
        record.isLooping = machine.isLooping
        record.treatment = look.treatment
        record.isPlaying = machine.wantsToPlay
        record.rest = machine.rest
        record.audio = wantedAudio == request.options.audio ? nil : wantedAudio
        record.path = wantedPath
        record.announcedSegments = media?.plan.segmentCount ?? restored?.announcedSegments ?? 0
        record.sealedTargetDuration = media.map(\.sealedTargetDuration) ?? restored?.sealedTargetDuration
        return record
    }

    // MARK: Ending

    package func setBudget(_ bytes: Int) async {
        budget = bytes
        await media?.producer.setBudget(bytes)
    }

    /// Ends the session at once: answers pending requests and releases threads.
    package func stop() async {
        if software == nil, let renderer {
            renderer.leave(nil)
            self.renderer = nil
        }
        await release()
    }

    func release() async {
        isStopped = true
        admitWaiting()
        await endSoftware()
        outputs.ownDevice?.close()
        opener.interrupt()
        extractor?.shutDown()
        extractor = nil
        subtitles.interrupt()
        keyframes?.shutDown()
        keyframes = nil
        clock?.cancel()
        planning?.cancel()
        counters.publishing?.cancel()
        rearm()
        await media?.producer.stop()
        await stopSubtitles()
        reports?.cancel()
        media = nil
        await opener.close()
    }
}
