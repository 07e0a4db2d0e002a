// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// One loaded source: its plan, its producer, its clock, and what is published of them.
///
/// Never blocks and never makes a segment. Owned by the engine; called by it and by the loopback routes.
package actor PlaybackSession {
    /// What exists once the source is open.
    private struct Media {
        let source: OpenedSource
        let producer: SegmentProducer
        /// Of the configuration each track begins with.
        let inits: [ByteBody]
        var plan: SegmentPlan
        var trackEnds: [MediaTime?]
        /// Set when the playlists were announced before the plan was complete.
        var sealedTargetDuration: Int?
    }

    /// How long a load waits for a scan to finish before its playlist starts as a growing one.
    private static let scanPatience: Int64 = 200_000_000
    /// How long before the end of what is there the clock asks for more.
    private static let refillNanoseconds: Int64 = 1_500_000_000

    /// How often the clock looks whether a scan has come to the playhead.
    private static let scanPause = Duration.milliseconds(50)

    package nonisolated let id: SessionID
    package nonisolated let token: String
    private nonisolated let request: LoadRequest
    private nonisolated let hub: EventHub
    private nonisolated let plans: PlanStore
    private nonisolated let opener = Demuxer(name: "demux-1")
    private var budget: Int
    private var media: Media?
    private var audio: AudioTracks?
    private var machine: PlayerStateMachine
    private var clock: Task<Void, Never>?
    private var planning: Task<Void, Never>?
    private var reports: Task<Void, Never>?
    private var isStopped = false
    private var droppedPackets = 0
    private var isFormatChanged = false
    private var isMetadataLost = false
    private var captions = CaptionNews()
    private var bridgeTrouble = BridgeTrouble()

    package init(id: SessionID, token: String, request: LoadRequest, hub: EventHub, plans: PlanStore, budget: Int) {
        self.id = id
        self.token = token
        self.request = request
        self.hub = hub
        self.plans = plans
        self.budget = budget
        machine = PlayerStateMachine(position: max(.zero, request.startPosition))
    }

    deinit {
        // A stream that nobody feeds any more would keep its reader waiting for ever.
        reports?.cancel()
        planning?.cancel()
        clock?.cancel()
    }

    // MARK: Opening

    /// Opens and plans the source. Returns once its playlists can be fetched.
    package func open() async throws(EngineError) {
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
            if batch.plan.segmentCount > 0, monotonicNanoseconds() > deadline {
                media?.sealedTargetDuration = Playlists.targetDurationOfGrowingPlan(
                    batch.plan,
                    target: request.options.segmentTarget
                )
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
        if batch.plan.isComplete { await plans.save(batch, of: media.source, target: request.options.segmentTarget) }
        publishPlan(progress: batch.progress)
        if batch.plan.isComplete {
            for notice in batch.notices(path: media.source.file.path) { hub.notice(id, notice) }
        }
    }

    private func publishReady() async throws(EngineError) {
        guard let media else { return }
        machine.setDuration(duration)
        var description = media.source.media
        if let duration { description.duration = duration }
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
        }
        // The first thing any player asks for.
        let first = segment(at: machine.playhead(at: now))
        Task { [producer = media.producer] in
            do throws(EngineError) { try await producer.ensure(first) } catch {
                // Whoever asks for it is told.
            }
        }
        if request.options.isAutoplay { _ = await perform(.play) }
    }

    private var duration: MediaTime? {
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
        for notice in bridgeTrouble.news(in: report) { hub.notice(id, notice) }
        let buffered = await bufferedRanges()
        hub.update(id) { state in
            state.buffered = buffered
            state.production.segmentsProduced = report.segmentsProduced
            state.production.segmentsEvicted = report.segmentsEvicted
            state.production.cachedBytes = report.cachedBytes
            state.production.bytesProduced = report.bytesProduced
        }
    }

    // MARK: Commands

    /// Applies a command other than `stop`.
    ///
    /// - Returns: whether an argument was out of range and moved into it.
    package func perform(_ command: Command) async -> Bool {
        let now = monotonicNanoseconds()
        var isClamped = false
        machine.tick(at: now)
        switch command {
        case .play: machine.play(at: now)
        case .pause: machine.pause(at: now)
        case .seek(let target, let isRelative):
            let base = isRelative ? machine.playhead(at: now) : .zero
            isClamped = machine.seek(to: base + target, at: now)
        case .setRate(let rate): isClamped = machine.setRate(rate, at: now)
        case .selectAudio(let selection): await select(selection, at: now)
        case .stop: break
        }
        await useWhatIsThere()
        publishClock()
        restartClock()
        return isClamped
    }

    /// The master playlist names another default from now on, and its segments are made where the playhead is.
    private func select(_ selection: AudioSelection, at now: Int64) async {
        guard let media, var audio else { return }
        let notice = audio.select(selection)
        self.audio = audio
        if let notice { hub.notice(id, notice) }
        guard let place = audio.place, let stream = audio.stream else { return }
        hub.update(id) { state in
            state.selectedAudio = stream
            state.route = state.media?.route(playing: stream)
        }
        await media.producer.prefer(track: place, from: segment(at: machine.playhead(at: now)))
    }

    /// Media that is at the playhead already needs no waiting state in between.
    private func useWhatIsThere() async {
        guard machine.needsMedia, let media else { return }
        let index = segment(at: machine.playhead(at: monotonicNanoseconds()))
        let end = await media.producer.contiguousEnd(from: index)
        guard end > index else { return }
        machine.mediaAvailable(to: endTime(ofSegment: end - 1), at: monotonicNanoseconds())
    }

    private func publishClock() {
        let now = monotonicNanoseconds()
        let phase = machine.phase
        let anchor = machine.anchor(at: now)
        hub.update(id) { state in
            state.phase = phase
            // An anchor at rest says the same whenever it was taken.
            let isSame =
                anchor.rate == 0 && state.position.rate == 0 && anchor.position == state.position.position
                && anchor.requestedRate == state.position.requestedRate
            if !isSame { state.position = anchor }
        }
    }

    // MARK: Clock

    private func restartClock() {
        clock?.cancel()
        guard machine.needsMedia, !isStopped else {
            clock = nil
            return
        }
        clock = Task { await self.runClock() }
    }

    /// Keeps media coming for as long as the playhead needs it, as a player at its place would.
    private func runClock() async {
        while !Task.isCancelled, machine.needsMedia, let media {
            let index = segment(at: machine.playhead(at: monotonicNanoseconds()))
            do throws(EngineError) {
                try await media.producer.ensure(index)
            } catch {
                if !Task.isCancelled { fail(error) }
                return
            }
            // What was fetched was there, even where the cache is too small to keep it.
            let end = max(index + 1, await media.producer.contiguousEnd(from: index))
            // What lies ahead is asked for too, so that the next segment is there before the playhead is.
            if end < media.plan.segmentCount, end - index < 2 {
                Task { [producer = media.producer] in
                    do throws(EngineError) { try await producer.ensure(end) } catch {
                        // The clock comes to it, or nobody does.
                    }
                }
            }
            guard !Task.isCancelled else { return }
            let now = monotonicNanoseconds()
            machine.mediaAvailable(to: endTime(ofSegment: end - 1), at: now)
            machine.tick(at: now)
            publishClock()
            await publishBuffered()
            guard machine.needsMedia else { return }
            guard let deadline = machine.deadline else {
                // Rate 0: nothing happens until a command comes.
                if case .playing = machine.phase { return }
                // It was fetched and the playhead still lies beyond: the scan has to come to it.
                do { try await Task.sleep(for: Self.scanPause) } catch { return }
                continue
            }
            let isLast = end >= media.plan.segmentCount && media.plan.isComplete
            let wake = isLast ? deadline : max(now + 20_000_000, deadline - Self.refillNanoseconds)
            do {
                try await Task.sleep(for: .nanoseconds(max(0, wake - monotonicNanoseconds())))
            } catch {
                return
            }
            machine.tick(at: monotonicNanoseconds())
            if !Task.isCancelled { publishClock() }
        }
    }

    private func fail(_ error: EngineError) {
        let anchor = machine.anchor(at: monotonicNanoseconds())
        hub.update(id) { state in
            state.phase = .error(error)
            state.position = anchor
        }
    }

    private func segment(at position: MediaTime) -> Int {
        guard let media else { return 0 }
        let lead = media.source.lead
        let time = position.ticks(in: lead.stream.timeBase) &+ lead.origin
        return media.plan.segment(at: time) ?? 0
    }

    private func endTime(ofSegment index: Int) -> MediaTime {
        guard let media, let end = media.plan.endTime(of: index) else { return .zero }
        if index == media.plan.segmentCount - 1, let duration { return duration }
        return MediaTime(media.source.lead.timelineTicks(end), in: media.source.lead.track.timeBase)
    }

    private func publishBuffered() async {
        let buffered = await bufferedRanges()
        hub.update(id) { $0.buffered = buffered }
    }

    private func bufferedRanges() async -> [MediaTimeRange] {
        guard let media else { return [] }
        let index = segment(at: machine.playhead(at: monotonicNanoseconds()))
        let end = await media.producer.contiguousEnd(from: index)
        guard end > index else { return [] }
        let start = await media.producer.contiguousStart(upTo: index)
        return [
            MediaTimeRange(start: start == 0 ? .zero : endTime(ofSegment: start - 1), end: endTime(ofSegment: end - 1))
        ]
    }

    // MARK: Serving

    /// The resource at `path`, below the session's token.
    package func resource(at path: String, query: String) async -> MediaResource {
        guard let media else { return isStopped ? .gone : .notReady }
        guard !isStopped else { return .gone }
        guard let route = MediaRoute(path, query: query, source: media.source) else { return .notFound }
        switch route {
        case .master(let stream):
            let place = stream.map { audio?.place(ofStream: $0) } ?? audio?.place
            if stream != nil, place == nil { return .notFound }
            return .playlist(playlists(media).master(audio: place))
        case .playlist(let track): return .playlist(playlists(media).media(track: track))
        case .initSegment(let track, let version):
            return initSegment(of: track, version: version, media)
        case .segment(let track, let index):
            guard index < media.plan.segmentCount else { return media.plan.isComplete ? .notFound : .notReady }
            do throws(EngineError) {
                let body = try await media.producer.segment(index, track: track)
                return .segment(body, isVideo: media.source.tracks[track].kind == .video)
            } catch {
                return isStopped ? .gone : .failed(error)
            }
        }
    }

    /// A change is announced together with the first segment that needs it.
    private func initSegment(of track: Int, version: Int, _ media: Media) -> MediaResource {
        let isVideo = media.source.tracks[track].kind == .video
        if version == 0 { return .initSegment(media.inits[track], isVideo: isVideo) }
        guard track == 0, isVideo else { return .notFound }
        guard version <= media.plan.announcedChanges.count else {
            return media.plan.isComplete ? .notFound : .notReady
        }
        let changed = media.source.track(track, version: version, of: media.plan)
        return .initSegment(ByteBody(InitSegment.bytes(for: changed.track)), isVideo: true)
    }

    private func playlists(_ media: Media) -> Playlists {
        Playlists(
            source: media.source,
            plan: media.plan,
            trackEnds: media.trackEnds,
            sealedTargetDuration: media.sealedTargetDuration,
            startPosition: request.startPosition
        )
    }

    // MARK: Ending

    package func setBudget(_ bytes: Int) async {
        budget = bytes
        await media?.producer.setBudget(bytes)
    }

    /// Ends at once: held requests are answered, threads are given back.
    package func stop() async {
        isStopped = true
        opener.interrupt()
        clock?.cancel()
        planning?.cancel()
        await media?.producer.stop()
        reports?.cancel()
        media = nil
        await opener.close()
    }
}
