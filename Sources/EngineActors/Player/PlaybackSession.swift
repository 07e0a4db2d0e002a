// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// One loaded source: its plan, its producer, its clock, and what is published of them.
///
/// Never blocks and never makes a segment. Owned by the engine; called by it and by the loopback routes.
package actor PlaybackSession {
    /// What there was before it.
    package enum Origin: Sendable {
        case new
        /// What an earlier process left of it.
        case restored(SessionRecord)
        /// The session, under the same id, whose place it takes.
        case replacing(PlaybackSession)

        /// What happens when the source is open, unless something else is asked for meanwhile.
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
        /// Of the configuration each track begins with.
        let inits: [ByteBody]
        var plan: SegmentPlan
        var trackEnds: [MediaTime?]
        /// Set when the playlists were announced before the plan was complete.
        var sealedTargetDuration: Int?
        /// On the session's timeline.
        var chapters: [Chapter] = []
        /// The stream that is a picture of the source.
        var cover: StreamDescription?
    }

    package nonisolated let id: SessionID
    package nonisolated let token: String
    /// Whether it took the place of another source.
    nonisolated let isReplacement: Bool
    nonisolated let request: LoadRequest
    /// What an earlier process left of it; `nil` for a session that is new.
    nonisolated let restored: SessionRecord?
    nonisolated let hub: EventHub
    nonisolated let plans: PlanStore
    nonisolated let opener = Demuxer(name: "demux-1")
    nonisolated let settings: PlayerSettings
    var budget: Int
    var media: Media?
    /// Which audio track is wanted: the load's word, or a later one.
    var wantedAudio: AudioSelection
    /// Which subtitle tracks are wanted, likewise.
    var wantedSubtitles: SubtitleSelection
    var audio: AudioTracks?
    var subtitles: SessionSubtitles?
    /// Reads single pictures, once one was asked for.
    var keyframes: KeyframeReader?
    var sheets = StoryboardSheets()
    var sidecars: SidecarShelf
    var machine: PlayerStateMachine
    var controls = PlayerControls()
    /// What is done to pictures before they are shown.
    var look: PictureLook
    /// Where the overlays lie, by name.
    var overlayBounds: [String: OverlayBounds] = [:]
    var renderer: RendererLink?
    /// The renderer in the engine, which `renderer` is then.
    var software: SoftwareLink?
    var lastSoftware = SoftwareLink.firstNumber
    var outputs = SoftwareOutputs()
    /// The path that was chosen. `nil`: by the source, and by whether somebody takes what is decoded.
    var wantedPath: PlaybackPath?
    var counters = SessionCounters()
    var clock: Task<Void, Never>?
    /// Set while the clock sleeps.
    var clockSleep: ClockSleep?
    var alarm = Alarm()
    /// The clock waits for a scan to come to the playhead.
    var awaitsPlan = false
    var inheritance: Task<Inheritance, Never>?
    var planning: Task<Void, Never>?
    var reports: Task<Void, Never>?
    var isStopped = false
    /// Makes stills, once one was asked for.
    var extractor: FrameExtractor?
    var droppedPackets = 0
    /// Requests that came before the source was open.
    var waiting: [CheckedContinuation<Void, Never>] = []
    var isFormatChanged = false
    var isMetadataLost = false
    var captions = CaptionNews()
    var bridgeTrouble = BridgeTrouble()
    var versions = VersionNews()
    /// Whether watchers have been told what the source is.
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
        sidecars = SidecarShelf(record.sidecars)
        wantedSubtitles = record.request.options.subtitles
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
            // Ends by itself, soon: nothing in it waits for media.
            inheritance = Task { await old.handOver() }
        }
    }

    deinit {
        // A stream that nobody feeds any more would keep its reader waiting for ever.
        reports?.cancel()
        planning?.cancel()
        clock?.cancel()
        alarm.task?.cancel()
        counters.publishing?.cancel()
        subtitles?.windows?.cancel()
        software?.running.cancel()
        sidecars.interrupt()
    }

    /// What it takes to have this session again.
    package func record() -> SessionRecord {
        var record = SessionRecord(id: id, token: token, request: request)
        record.sidecars = sidecars.records
        record.request.options.subtitles = wantedSubtitles
        if sidecars.isSelectionMade || !sidecars.isWaiting, let selected = subtitles?.selected {
            record.request.options.subtitles = selected.isEmpty ? .none : .tracks(selected)
        }
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

    /// Ends at once: held requests are answered, threads are given back.
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
        subtitles?.decoder.interrupt()
        keyframes?.shutDown()
        keyframes = nil
        sidecars.interrupt()
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
