// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments

// Opening a source, up to playlists that can be fetched.
extension PlaybackSession {
    /// Opens and plans the source. Returns once its playlists can be fetched.
    package func open() async throws(EngineError) {
        await inherit()
        watchPictures()
        rearm()
        let file = try SourceFile.open(request.source)
        let source = try await opener.open(file, options: request.options)
        for notice in source.notices { hub.notice(id, notice) }
        var audio = AudioTracks(source)
        let choice = wantedAudio
        if let notice = audio.select(choice) { hub.notice(id, notice) }
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
            preferredTrack: audio.servedPlace,
            onReport: { report.yield($0) }
        )
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped while it was opened") }
        media = Media(
            source: source,
            producer: producer,
            inits: source.tracks.map { ByteBody($0.isServed ? InitSegment.bytes(for: $0.track) : []) },
            plan: plan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan),
            trackEnds: ends
        )
        self.reports = Task { [weak self] in
            for await report in reports { await self?.take(report) }
        }
        if let media { await startSubtitles(source, media.plan, producer) }
        if wantedAudio != choice { await select(wantedAudio, at: monotonicNanoseconds()) }
        if plan == nil { try await startScan(of: source) }
        try await publishReady()
    }

    func publishReady() async throws(EngineError) {
        guard let media else { return }
        machine.setDuration(duration)
        let asked = machine.opened(at: monotonicNanoseconds())
        var description = media.source.media
        if let duration { description.duration = duration }
        let shift = description.start
        for place in description.chapters.indices {
            description.chapters[place].start = description.chapters[place].start - shift
            description.chapters[place].end = description.chapters[place].end - shift
        }
        self.media?.chapters = description.chapters
        self.media?.cover = description.streams.first { $0.coverMimeType != nil }
        let hasPictures = media.source.lead.kind == .video
        let hasCover = self.media?.cover != nil
        let published = description
        let audio = audio?.stream
        let profile = request.options.profile.name
        let rateRange = settings.rateRange
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
            state.rateRange = rateRange
            state.selectedAudio = audio
            state.phase = phase
            state.position = anchor
            state.metadata = published.tags
            if hasPictures { state.storyboardURL = SessionURLs.storyboard(besideMaster: state.url) }
            if hasCover { state.coverArtURL = SessionURLs.cover(besideMaster: state.url) }
        }
        perform(asked)
        publishEffects()
        isDescribed = true
        beginPath()
        noteVersions()
        if software == nil { startRenderer() }
        publishChanges()
        prefetch(media)
        admitWaiting()
        resumeClock()
    }

    /// Makes the segment at the playhead, which any player requests first.
    private func prefetch(_ media: Media) {
        guard media.source.lead.isServed else { return }
        let first = segment(at: machine.playhead(at: monotonicNanoseconds()))
        Task { [producer = media.producer] in
            do throws(EngineError) { try await producer.ensure(first) } catch {
                // A later request for this segment reports the error.
            }
        }
    }

    /// Resumes the requests that were held while the source was being opened.
    func admitWaiting() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// The source cannot be opened. The session stays, in the error phase.
    func fail(opening error: EngineError) async {
        await inherit()
        machine.failed(error, at: monotonicNanoseconds())
        publishClock()
        publishEffects()
        await release()
    }
}
