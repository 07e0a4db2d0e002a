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

    /// How long a load waits for a scan to finish before its playlist starts as a growing one.
    private static let scanPatience: Int64 = 200_000_000

    package nonisolated let id: SessionID
    package nonisolated let token: String
    /// Whether it took the place of another source.
    nonisolated let isReplacement: Bool
    nonisolated let request: LoadRequest
    /// What an earlier process left of it; `nil` for a session that is new.
    private nonisolated let restored: SessionRecord?
    nonisolated let hub: EventHub
    private nonisolated let plans: PlanStore
    nonisolated let opener = Demuxer(name: "demux-1")
    private nonisolated let settings: PlayerSettings
    private var budget: Int
    var media: Media?
    var audio: AudioTracks?
    var machine: PlayerStateMachine
    var controls = PlayerControls()
    var renderer: RendererLink?
    var counters = SessionCounters()
    var clock: Task<Void, Never>?
    var alarm = Alarm()
    /// The clock waits for a scan to come to the playhead.
    var awaitsPlan = false
    private var inheritance: Task<Inheritance, Never>?
    private var planning: Task<Void, Never>?
    private var reports: Task<Void, Never>?
    var isStopped = false
    /// Makes stills, once one was asked for.
    var extractor: FrameExtractor?
    private var droppedPackets = 0
    /// Requests that came before the source was open.
    var waiting: [CheckedContinuation<Void, Never>] = []
    private var isFormatChanged = false
    private var isMetadataLost = false
    private var captions = CaptionNews()
    private var bridgeTrouble = BridgeTrouble()
    private var versions = VersionNews()
    /// Whether watchers have been told what the source is.
    private var isDescribed = false

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
        machine = PlayerStateMachine(
            position: max(.zero, record.position),
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
    }

    // MARK: Inheritance

    /// What outlives a source: the player.
    struct Inheritance: Sendable {
        var machine: PlayerStateMachine
        var controls: PlayerControls
        var renderer: RendererLink?
    }

    private func inherit() async {
        guard let task = inheritance else { return }
        let inherited = await task.value
        guard inheritance != nil else { return }
        inheritance = nil
        controls = inherited.controls
        renderer = inherited.renderer
        machine = inherited.machine
        machine.reopened(at: max(.zero, request.startPosition), settings: settings, at: monotonicNanoseconds())
        settle()
    }

    /// Ends this session's source and gives its player away.
    private func handOver() async -> Inheritance {
        isStopped = true
        await inherit()
        let inheritance = Inheritance(machine: machine, controls: controls, renderer: renderer)
        renderer = nil
        await stop()
        return inheritance
    }

    // MARK: Opening

    /// Opens and plans the source. Returns once its playlists can be fetched.
    package func open() async throws(EngineError) {
        await inherit()
        rearm()
        let file = try SourceFile.open(request.source)
        let source = try await opener.open(file, options: request.options)
        for notice in source.notices { hub.notice(id, notice) }
        var audio = AudioTracks(source)
        if let notice = audio.select(request.options.audio) { hub.notice(id, notice) }
        self.audio = audio
        var plan = source.indexPlan
        var ends = source.trackEnds
        if plan == nil, let kept = await plans.load(for: source, target: request.options.segmentTarget) {
            (plan, ends) = (kept.plan, kept.trackEnds)
        }
        let (reports, report) = AsyncStream.makeStream(
            of: SegmentProducer.Report.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let producer = SegmentProducer(
            source: source,
            demuxer: opener,
            plan: plan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan),
            trackEnds: ends,
            budget: budget,
            target: request.options.segmentTarget,
            preferredTrack: audio.place,
            onReport: { report.yield($0) }
        )
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped while it was opened") }
        media = Media(
            source: source,
            producer: producer,
            inits: source.tracks.map { ByteBody(InitSegment.bytes(for: $0.track)) },
            plan: plan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan),
            trackEnds: ends
        )
        self.reports = Task { [weak self] in
            for await report in reports { await self?.take(report) }
        }
        if plan == nil { try await startScan(of: source) }
        try await publishReady()
    }

    private func startScan(of source: OpenedSource) async throws(EngineError) {
        let scanner = Scanner(source: source, target: request.options.segmentTarget)
        let deadline = monotonicNanoseconds() + Self.scanPatience
        while true {
            let batch = try await withInterruption(scanner)
            await adopt(batch)
            if batch.plan.isComplete { break }
            // What an earlier process announced must be there before anything is announced again.
            let announced = max(1, restored?.announcedSegments ?? 0)
            if batch.plan.segmentCount >= announced, monotonicNanoseconds() > deadline {
                media?.sealedTargetDuration =
                    restored?.sealedTargetDuration
                    ?? Playlists.targetDurationOfGrowingPlan(batch.plan, target: request.options.segmentTarget)
                planning = Task { await self.continueScan(scanner) }
                break
            }
        }
        guard let plan = media?.plan, plan.segmentCount > 0 else {
            throw EngineError(
                .noPlayableStream,
                "\(source.file.path) holds no frame that playback could start with",
                cause: "a scan of the whole file found no keyframe of \(source.lead.stream.codec.rawValue)"
            )
        }
    }

    private func withInterruption(_ scanner: Scanner) async throws(EngineError) -> Scanner.Batch {
        let result = await withTaskCancellationHandler {
            do throws(EngineError) {
                return Result<Scanner.Batch, EngineError>.success(try await scanner.step())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            scanner.interrupt()
        }
        return try result.get()
    }

    private func continueScan(_ scanner: Scanner) async {
        do throws(EngineError) {
            while !Task.isCancelled, !isStopped {
                let batch = try await withInterruption(scanner)
                await adopt(batch)
                if batch.plan.isComplete { return }
            }
        } catch {
            guard !isStopped else { return }
            hub.notice(id, Notice(.warning, "plan.scan_failed", "\(error)"))
        }
    }

    private func adopt(_ batch: Scanner.Batch) async {
        guard var media else { return }
        let isNews = batch.plan.segmentCount != media.plan.segmentCount || batch.plan.isComplete
        media.plan = batch.plan
        if batch.plan.isComplete { media.trackEnds = batch.trackEnds }
        self.media = media
        if isNews { await media.producer.extend(media.plan, trackEnds: media.trackEnds) }
        if isNews, awaitsPlan { restartClock() }
        if batch.plan.isComplete { await plans.save(batch, of: media.source, target: request.options.segmentTarget) }
        publishPlan(progress: batch.progress)
        if isDescribed { versions.publish(media.source, media.plan, to: hub, id) }
        if batch.plan.isComplete {
            for notice in batch.notices(path: media.source.file.path) { hub.notice(id, notice) }
        }
    }

    private func publishReady() async throws(EngineError) {
        guard let media else { return }
        machine.setDuration(duration)
        machine.opened(at: monotonicNanoseconds())
        var description = media.source.media
        if let duration { description.duration = duration }
        let shift = description.start
        for place in description.chapters.indices {
            description.chapters[place].start = description.chapters[place].start - shift
            description.chapters[place].end = description.chapters[place].end - shift
        }
        self.media?.chapters = description.chapters
        self.media?.cover = description.streams.first { $0.coverMimeType != nil }
        let hasCover = self.media?.cover != nil
        let published = description
        let audio = audio?.stream
        let profile = request.options.profile.name
        publishPlan(progress: 1)
        let now = monotonicNanoseconds()
        let anchor = machine.anchor(at: now)
        let phase = machine.phase
        hub.update(id) { state in
            state.media = published
            state.videoFormat = published.videoFormat
            state.sourceVideoFormat = published.sourceVideoFormat
            state.route = published.route(playing: audio)
            state.profile = profile
            state.selectedAudio = audio
            state.phase = phase
            state.position = anchor
            state.metadata = published.tags
            if hasCover { state.coverArtURL = Engine.coverURL(besideMaster: state.url) }
        }
        isDescribed = true
        versions.publish(media.source, media.plan, to: hub, id)
        startRenderer()
        settle()
        // The first thing any player asks for.
        let first = segment(at: machine.playhead(at: now))
        Task { [producer = media.producer] in
            do throws(EngineError) { try await producer.ensure(first) } catch {
                // Whoever asks for it is told.
            }
        }
        admitWaiting()
        if restored?.isPlaying ?? request.options.isAutoplay { _ = await perform(.play) }
    }

    /// Lets the requests go on that were held while the source was opened.
    func admitWaiting() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// What it takes to have this session again.
    package func record() -> SessionRecord {
        var record = SessionRecord(id: id, token: token, request: request)
        record.position = machine.playhead(at: monotonicNanoseconds())
        record.rate = machine.requestedRate
        record.volume = controls.volume
        record.isMuted = controls.isMuted
        record.isLooping = machine.isLooping
        record.isPlaying = machine.wantsToPlay
        record.announcedSegments = media?.plan.segmentCount ?? restored?.announcedSegments ?? 0
        record.sealedTargetDuration = media.map(\.sealedTargetDuration) ?? restored?.sealedTargetDuration
        return record
    }

    var duration: MediaTime? {
        guard let media, let end = media.plan.end else { return nil }
        let lead = MediaTime(media.source.lead.timelineTicks(end), in: media.source.lead.track.timeBase)
        return media.trackEnds.compactMap { $0 }.reduce(lead, max)
    }

    private func publishPlan(progress: Double) {
        guard let media else { return }
        let duration = duration
        let isMoved = machine.setDuration(duration)
        let anchor = machine.anchor(at: monotonicNanoseconds())
        let count = media.plan.segmentCount
        let known = count > 0 ? media.plan.endTime(of: count - 1) : nil
        let lead = media.source.lead
        let reachable = duration ?? known.map { MediaTime(lead.timelineTicks($0), in: lead.track.timeBase) }
        let plan = media.plan
        hub.update(id) { state in
            if isMoved { state.position = anchor }
            state.duration = duration
            state.seekable = reachable.map { [MediaTimeRange(start: .zero, end: $0)] } ?? []
            state.production.plannedSegments = count
            state.production.isPlanComplete = plan.isComplete
            state.production.scanProgress = plan.isComplete ? 1 : (progress * 100).rounded(.down) / 100
            state.production.planOrigin = plan.origin
        }
    }

    private func take(_ report: SegmentProducer.Report) async {
        if report.droppedPackets > droppedPackets {
            let count = report.droppedPackets - droppedPackets
            droppedPackets = report.droppedPackets
            let text = "\(count) packets are broken and were left out of their segments"
            hub.notice(id, Notice(.warning, "segment.packets_dropped", text))
        }
        if report.hasDynamicMetadata, !isFormatChanged, let lead = media?.source.lead.stream.index {
            isFormatChanged = true
            hub.update(id) { state in
                state.media?.streams[lead].noteDynamicMetadata()
                state.videoFormat = state.media?.videoFormat
                state.sourceVideoFormat = state.media?.sourceVideoFormat
            }
            let text = "pictures after the first ones carry dynamic metadata: the video is HDR10+"
            hub.notice(id, Notice(.info, "video.format_changed", text))
        }
        if let (channels, notice) = captions.news(in: report), let lead = media?.source.lead.stream.index {
            hub.update(id) { state in
                state.media?.streams[lead].video?.hasClosedCaptions = true
                state.media?.streams[lead].video?.captionChannels = channels
            }
            hub.notice(id, notice)
        }
        if report.picturesWithoutMetadata > 0, !isMetadataLost {
            isMetadataLost = true
            let text =
                "Dolby Vision metadata is damaged or missing; \(report.picturesWithoutMetadata) pictures so far are HDR10"
            hub.notice(id, Notice(.warning, "video.rpu_dropped", text))
        }
        counters.take(report)
        publishStatisticsSoon()
        for notice in bridgeTrouble.news(in: report) { hub.notice(id, notice) }
        let buffered = await bufferedRanges()
        hub.update(id) { state in
            if let buffered { state.buffered = buffered }
            state.production.segmentsProduced = report.segmentsProduced
            state.production.segmentsEvicted = report.segmentsEvicted
            state.production.cachedBytes = report.cachedBytes
            state.production.bytesProduced = report.bytesProduced
        }
    }

    // MARK: Ending

    package func setBudget(_ bytes: Int) async {
        budget = bytes
        await media?.producer.setBudget(bytes)
    }

    /// The source that took the place of another cannot be opened. The session stays, failed.
    func fail(opening error: EngineError) async {
        await inherit()
        machine.failed(error, at: monotonicNanoseconds())
        publishClock()
        tellEffects()
        await release()
    }

    /// Ends at once: held requests are answered, threads are given back.
    package func stop() async {
        if let renderer {
            renderer.leave(nil)
            self.renderer = nil
        }
        await release()
    }

    private func release() async {
        isStopped = true
        admitWaiting()
        opener.interrupt()
        extractor?.shutDown()
        extractor = nil
        clock?.cancel()
        planning?.cancel()
        counters.publishing?.cancel()
        rearm()
        await media?.producer.stop()
        reports?.cancel()
        media = nil
        await opener.close()
    }
}
