// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

// Subtitles: which tracks are shown, and when their cues appear.
extension PlaybackSession {
    /// Creates the subtitle decoder for the source and shows the requested tracks.
    func startSubtitles(_ source: OpenedSource, _ plan: SegmentPlan, _ producer: SegmentProducer) async {
        let (windows, window) = AsyncStream.makeStream(
            of: SubtitleDecoder.Window.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let decoder = SubtitleDecoder(
            source: source,
            plan: plan,
            pressure: producer.pressure,
            onWindow: { window.yield($0) }
        )
        // Cancelled when the session ends.
        let reading = Task { [weak self] in
            for await window in windows { await self?.take(window) }
        }
        subtitles.open(source.media, decoder, windows: reading)
        // A selection that was made while the source was being opened.
        if subtitles.isSelectionMade { select(subtitles.wanted) }
        await startSidecars()
    }

    func publishSubtitles() {
        guard subtitles.decoder != nil else { return }
        let (tracks, selected) = (subtitles.tracks, subtitles.selected)
        hub.update(id) { state in
            state.subtitleTracks = tracks
            state.selectedSubtitles = selected
        }
    }

    func select(_ selection: SubtitleSelection) {
        if let notice = subtitles.select(selection, of: media.opened?.source.media) { hub.notice(id, notice) }
        publishSubtitles()
        // Callers do not wait for the decoder, which may be busy reading.
        Task { await self.showSelected() }
    }

    /// Passes the tracks that are shown to the decoder and the producer.
    func showSelected() async {
        guard let decoder = subtitles.decoder, let media = media.opened else { return }
        let selected = Set(subtitles.selected)
        let streams = Self.streams(of: subtitles.shown, alongside: decoder)
        // The producer stops with the session, so this closure does not keep the decoder alive any longer.
        await media.producer.harvest(streams) { found in Task { await decoder.harvest(found) } }
        await decoder.move(to: player.machine.playhead(at: monotonicNanoseconds()), isJump: true)
        await decoder.list(subtitles.tracks.filter { $0.stream != nil })
        await decoder.select(selected)
    }

    /// The streams whose packets the producer can harvest. Captions within video that the producer does not read are
    /// left out.
    private static func streams(of shown: [SubtitleTrack], alongside decoder: SubtitleDecoder) -> Set<Int> {
        var streams: Set<Int> = []
        for track in shown {
            guard let stream = track.stream else { continue }
            if !track.isWithinPictures || decoder.isAlongside(track) { streams.insert(stream) }
        }
        return streams
    }

    /// Takes over the cues around the playhead.
    private func take(_ window: SubtitleDecoder.Window) {
        guard !isStopped else { return }
        let keepsLines = request.options.preservesScripts
        subtitles.replace(keepsLines ? window.cues : window.cues.map(\.withoutRaw))
        noteCues(window)
        showCues()
        rearm()
    }

    /// Publishes the cues on screen at the playhead, and has the decoder follow. Part of every `change`.
    func showCues() {
        guard let decoder = subtitles.decoder else { return }
        let place = player.machine.playhead(at: monotonicNanoseconds())
        let move = subtitles.move(to: place, segment: segment(at: place))
        if var cues = move.cues {
            cues.origin = media.opened?.source.origin.time ?? .zero
            hub.cues(id, cues)
        }
        if let isJump = move.isJump { Task { await decoder.move(to: place, isJump: isJump) } }
    }

    /// When the next cue appears or disappears, or the playhead enters the next segment, whichever comes first.
    var cueMoment: Int64? {
        guard !subtitles.selected.isEmpty else { return nil }
        let anchor = player.machine.anchor(at: 0)
        guard anchor.rate > 0 else { return nil }
        let place = player.machine.playhead(at: monotonicNanoseconds())
        let edge = endTime(ofSegment: segment(at: place))
        let moments = [subtitles.nextMoment, edge > place ? edge : nil]
        guard let next = moments.compactMap(\.self).min() else { return nil }
        let wait = Double((next - anchor.position).microseconds) / anchor.rate * 1000
        return anchor.monotonicNanoseconds + Int64(min(max(wait, 0), 86_400e9)) + 1000
    }

    /// The cues that a request refers to. They are read piece by piece, as the caller asks for them.
    package func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        guard let decoder = subtitles.decoder else {
            throw EngineError(.unavailable, "session \(id.rawValue) is still being opened")
        }
        var tracks = subtitles.tracks(request.choice)
        if tracks.isEmpty, let named = media.opened?.source.media.unlistedTrack(request.choice) { tracks = [named] }
        guard !tracks.isEmpty else {
            throw .noSubtitles(request.choice, in: subtitles.tracks, of: self.request.source)
        }
        var header = ""
        if request.isRaw, tracks.count == 1 { header = try await decoder.header(of: tracks[0]) }
        return SessionCues(request, of: tracks, header: header, by: decoder)
    }

    func stopSubtitles() async {
        guard let decoder = subtitles.decoder else { return }
        subtitles.cancel()
        hub.cues(id, ScreenCues(origin: media.opened?.source.origin.time ?? .zero))
        await decoder.stop()
    }
}
