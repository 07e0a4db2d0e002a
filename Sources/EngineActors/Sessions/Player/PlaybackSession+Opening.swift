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
        let source = try await media.opener.open(request.source, options: request.options)
        for notice in source.notices { hub.notice(id, notice) }
        var audio = AudioTracks(source)
        let choice = media.wantedAudio
        if let notice = audio.select(choice) { hub.notice(id, notice) }
        var plan = source.indexPlan
        var ends = source.trackEnds
        if plan == nil, let kept = await media.plans.load(for: source, target: request.options.segmentTarget) {
            (plan, ends) = (kept.plan, kept.trackEnds)
        }
        let (reports, report) = AsyncStream.makeStream(
            of: SegmentProducer.Report.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let producer = SegmentProducer(
            source: source,
            demuxer: media.opener,
            plan: plan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan),
            trackEnds: ends,
            budget: media.budget,
            target: request.options.segmentTarget,
            preferredTrack: audio.servedPlace,
            onReport: { report.yield($0) }
        )
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped while it was opening") }
        let opened = OpenedMedia(
            source,
            producer,
            plan: plan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan),
            trackEnds: ends,
            audio: audio
        )
        // Cancelled when the session ends.
        let reading = Task { [weak self] in
            for await report in reports { await self?.take(report) }
        }
        media.open(opened, reports: reading)
        await startSubtitles(source, opened.plan, producer)
        if media.wantedAudio != choice { await select(media.wantedAudio, at: monotonicNanoseconds()) }
        if plan == nil { try await startScan(of: source) }
        try await publishReady()
    }

    func publishReady() async throws(EngineError) {
        guard media.opened != nil else { return }
        player.machine.setDuration(duration)
        let asked = player.machine.opened(at: monotonicNanoseconds())
        guard let published = self.media.describe(), let media = media.opened else { return }
        let hasPictures = media.source.lead.kind == .video
        let hasCover = media.cover != nil
        let audio = media.audio.stream
        let profile = request.options.profile.name
        let rateRange = settings.rateRange
        publishPlan(progress: 1)
        let now = monotonicNanoseconds()
        let anchor = player.machine.anchor(at: now)
        let phase = player.machine.phase
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
        self.media.described()
        change {
            beginPath()
            noteVersions()
            if outputs.software == nil { startRenderer() }
            return .none
        }
        prefetch(media)
        serving.admit()
        change {
            adoptAvailableMedia()
            return .restarts
        }
    }

    /// Makes the segment at the playhead, which any player requests first.
    private func prefetch(_ media: OpenedMedia) {
        guard media.source.lead.isServed else { return }
        let first = segment(at: player.machine.playhead(at: monotonicNanoseconds()))
        Task { [producer = media.producer] in
            do throws(EngineError) { try await producer.ensure(first) } catch {
                // A later request for this segment reports the error.
            }
        }
    }

    /// The source cannot be opened. The session stays, in the error phase.
    func fail(opening error: EngineError) async {
        await inherit()
        player.machine.failed(error, at: monotonicNanoseconds())
        publishClock()
        publishEffects()
        await release()
    }
}
