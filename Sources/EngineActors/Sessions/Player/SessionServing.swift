// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Stills
internal import Subtitles

/// The resources of a session that players fetch.
///
/// Belongs to the session's actor.
final class SessionServing {
    /// How long the answer to a request for a master playlist waits for the codecs after discontinuities.
    private static let patience = Duration.seconds(3)

    private let setup: SessionSetup
    private let media: SessionMedia
    private let subtitles: SessionSubtitles
    private let findings: SessionFindings
    private let transport: SessionTransport
    /// Reads single keyframes. Created when the first one is requested.
    private var keyframes: KeyframeReader?
    /// Makes stills. Created when the first one is requested.
    private var extractor: FrameExtractor?
    private var sheets = StoryboardSheets()
    private let planning: SessionPlanning

    init(_ parts: SessionParts, _ planning: SessionPlanning) {
        (setup, media, subtitles) = (parts.setup, parts.media, parts.subtitles)
        (findings, transport) = (parts.findings, parts.transport)
        self.planning = planning
    }

    /// Publishes a report of the producer.
    func take(_ report: SegmentProducer.Report, isolation: isolated (any Actor)? = #isolation) {
        guard !media.isStopped else { return }
        findings.note(report)
        transport.count { $0.take(report) }
        let buffered = transport.bufferedRanges
        setup.publish { state in
            if let buffered { state.buffered = buffered }
            state.production.segmentsProduced = report.segmentsProduced
            state.production.segmentsEvicted = report.segmentsEvicted
            state.production.cachedBytes = report.cachedBytes
            state.production.bytesProduced = report.bytesProduced
        }
    }

    /// Selects the audio track. The master playlist then names it as the default.
    ///
    /// - Returns: the stream index of the track; `nil` while the source is not open, and if there is no audio.
    func select(_ selection: AudioSelection) -> Int? {
        setup.publish(media.select(selection))
        guard let stream = media.opened?.audio.stream else { return nil }
        setup.publish { state in
            state.selectedAudio = stream
            state.route = state.media?.route(playing: stream)
        }
        return stream
    }

    /// Makes the segments of the selected audio track from the playhead on.
    func makeSelectedAudio() async {
        guard let opened = media.admitted, let place = opened.audio.servedPlace else { return }
        await opened.producer.prefer(track: place, from: opened.segment(at: transport.playhead))
    }

    /// The resource at `path`, below the session's token. Waits while the source is being opened.
    func resource(at path: String, query: String) async -> MediaResource {
        await media.untilOpen()
        guard let opened = media.opened else { return media.isStopped ? .gone : .notReady }
        guard !media.isStopped else { return .gone }
        FaultPoint.serving.reach(opened.source.file.path)
        if let (index, path) = MediaRoute.variant(path) { return await resource(at: path, ofVariant: index, opened) }
        guard let route = MediaRoute(path, query: query, source: opened.source) else { return .notFound }
        if let refusal = route.refusal(opened.source) { return .failed(refusal) }
        switch route {
        case .cover: return await cover(of: opened)
        case .master(let stream, let delays):
            let place = stream.map { opened.audio.place(ofStream: $0) } ?? opened.audio.servedPlace
            if stream != nil, place == nil { return .notFound }
            let delays = delays ?? transport.player.controls.delays
            await findFormats(of: opened)
            guard !media.isStopped else { return .gone }
            return .playlist(playlists(opened).master(audio: place, delayedBy: delays))
        case .playlist(let track, let delay, let reload):
            return await playlist(of: track, delayedBy: delay, reload, opened)
        case .initSegment(let track, let version): return await initSegment(version, of: track, opened)
        case .part(let track, let segment, let index): return await part(index, of: segment, track: track)
        case .subtitlePlaylist(let track, let delay):
            guard subtitles.tracks.isServed(track) else { return .notFound }
            return .playlist(playlists(opened).subtitles(track: track, delayedBy: delay))
        case .subtitleSegment(let track, let index, let delay):
            return await text(of: track, segment: index, delayedBy: delay, opened)
        case .keyframePlaylist: return playlists(opened).keyframes().map { .playlist($0) } ?? .notFound
        case .keyframe(let index): return await keyframe(index, opened)
        case .storyboard: return await storyboard()
        case .storyboardSheet(let index): return await storyboardSheet(index)
        case .segment(let track, let index, let delay):
            return await segment(index, of: track, delayedBy: delay, opened)
        }
    }

    /// Finds the codecs after the discontinuities of a complete list, for the master playlist. Ends after a while,
    /// because playback must not wait for a slow server: the playlist then names the codecs that are known.
    private func findFormats(of opened: OpenedMedia) async {
        let (source, plan) = (opened.source, opened.plan)
        let versions = Set(source.unknownVideoVersions(of: plan)).union(source.unknownAudioVersions(of: plan)).sorted()
        guard !versions.isEmpty else { return }
        let reader = FormatReader(source)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do throws(EngineError) { try await reader.read(versions, of: plan) } catch {
                    // A request for a segment of this version reports the error.
                }
            }
            group.addTask {
                do { try await Task.sleep(for: Self.patience) } catch {
                    // The formats are known, or nobody waits any more.
                }
                reader.interrupt()
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// The playlists and segments of another variant.
    private func resource(at path: String, ofVariant index: Int, _ opened: OpenedMedia) async -> MediaResource {
        do throws(EngineError) {
            let duration = playlists(opened).targetDuration
            guard let variant = try await media.variant(index, targetDuration: duration, setup),
                let route = MediaRoute(path, query: "", source: variant.source)
            else { return media.isStopped ? .gone : .notFound }
            if let refusal = route.refusal(variant.source) { return .failed(refusal) }
            switch route {
            case .playlist(let track, let delay, _):
                return .playlist(playlists(variant).media(track: track, delayedBy: delay))
            case .initSegment(let track, let version): return await initSegment(version, of: track, variant)
            case .segment(let track, let index, let delay):
                return await segment(index, of: track, delayedBy: delay, variant)
            case .master, .part, .subtitlePlaylist, .subtitleSegment, .keyframePlaylist, .keyframe, .storyboard,
                .storyboardSheet, .cover:
                return .notFound
            }
        } catch {
            return failure(error)
        }
    }

    /// An init segment. After a discontinuity in a source playlist, it is known only once the first segment of its
    /// version has been read.
    private func initSegment(_ version: Int, of track: Int, _ opened: OpenedMedia) async -> MediaResource {
        if let segment = opened.source.sample(ofVersion: version, of: track), segment < opened.plan.segmentCount {
            if opened.isLost(segment) { return .dropped(.earlier(segment: segment, opened.source.file.path)) }
            do throws(EngineError) {
                _ = try await opened.producer.segment(segment, track: track)
            } catch {
                return mediaFailure(error, ofSegment: segment, in: opened.plan, opened)
            }
        }
        return opened.initSegment(of: track, version: version)
    }

    /// A media playlist. If it lists parts, the answer waits for the one that the request names.
    private func playlist(
        of track: Int,
        delayedBy delay: MediaTime,
        _ reload: PlaylistReload,
        _ opened: OpenedMedia
    ) async -> MediaResource {
        var opened = opened
        while delay == .zero, opened.parts != nil, !Task.isCancelled {
            let seen = planning.changes.signalCount
            switch playlists(opened).answer(to: reload) {
            case .now:
                let playlists = playlists(opened)
                return .playlist(playlists.media(track: track, delayedBy: delay, skipsOlder: reload.skipsOlder))
            case .refuse:
                let text =
                    "the request waits for a part that is too far ahead, or names a part without its segment"
                return .failed(EngineError(.invalidArgument, text))
            case .wait: break
            }
            guard !planning.isOver else { return .gone }
            await planning.changes.wait(after: seen)
            guard let grown = media.opened, !media.isStopped else { return .gone }
            opened = grown
        }
        return .playlist(playlists(opened).media(track: track, delayedBy: delay))
    }

    /// A part of a live segment. The answer waits for one that is about to arrive.
    private func part(_ index: Int, of segment: Int, track: Int) async -> MediaResource {
        while let opened = media.opened, let parts = opened.parts, !media.isStopped, !Task.isCancelled {
            let (plan, seen) = (opened.plan, planning.changes.signalCount)
            if opened.isLost(segment) { return .dropped(.earlier(segment: segment, opened.source.file.path)) }
            do throws(EngineError) {
                if let body = try await parts.part(index, of: segment, track: track) {
                    if index == 0 { transport.noteServed(segment) }
                    let isVideo = opened.source.tracks[track].kind == .video
                    return .segment(body, isVideo: isVideo, version: opened.source.file.versionKey)
                }
            } catch {
                return mediaFailure(error, ofSegment: segment, in: plan, opened)
            }
            guard segment >= plan.segmentCount, !plan.isComplete else { return .notFound }
            guard segment <= plan.segmentCount + 1 else { return .notReady }
            guard !planning.isOver else { return .gone }
            await planning.changes.wait(after: seen)
        }
        return media.isStopped ? .gone : .notFound
    }

    private func segment(
        _ index: Int,
        of track: Int,
        delayedBy delay: MediaTime,
        _ opened: OpenedMedia
    ) async -> MediaResource {
        guard index < opened.plan.segmentCount else { return opened.plan.isComplete ? .notFound : .notReady }
        if opened.isLost(index) { return .dropped(.earlier(segment: index, opened.source.file.path)) }
        do throws(EngineError) {
            let body = try await opened.segment(index, track: track)
            transport.noteServed(index)
            let (played, version) = (opened.source.tracks[track], opened.source.file.versionKey)
            if delay != .zero {
                let form = opened.source.track(track, version: opened.plan.version(of: index), of: opened.plan)
                return moved(body, of: form.track, by: delay, version: version)
            }
            return .segment(body, isVideo: played.kind == .video, version: version)
        } catch {
            return mediaFailure(error, ofSegment: index, in: opened.plan, opened)
        }
    }

    /// A segment of a delayed audio rendition.
    private func moved(_ body: ByteBody, of track: Track, by delay: MediaTime, version: String?) -> MediaResource {
        do throws(PackagingError) {
            var regions: [any ByteRegion] = []
            for chunk in try PackedSegment.chunks(of: body) {
                regions += try PackedSegment(chunk).moved(by: delay.ticks(in: track.timeBase), track).regions
            }
            return .segment(ByteBody(regions), isVideo: false, version: version)
        } catch {
            return .failed(EngineError(.segmentFailed, "a segment cannot be delayed", cause: "\(error)"))
        }
    }

    private func failure(_ error: EngineError) -> MediaResource {
        guard !media.isStopped else { return .gone }
        return error.code == .unavailable ? .notReady : .failed(error)
    }

    private func failure(
        _ error: EngineError,
        ofSegment index: Int,
        in plan: SegmentPlan,
        _ opened: OpenedMedia
    ) -> MediaResource {
        guard !media.isStopped, error.code == .sourceNotReadable, opened.hasDropped(index, of: plan) else {
            return failure(error)
        }
        return .dropped(error)
    }

    /// The answer if a segment of video or audio could not be made. If the source has changed, no other segment can be made
    /// either: the session fails, so that clients that fetch no segments learn of it.
    private func mediaFailure(
        _ error: EngineError,
        ofSegment index: Int,
        in plan: SegmentPlan,
        _ opened: OpenedMedia,
        isolation: isolated (any Actor)? = #isolation
    ) -> MediaResource {
        if !media.isStopped, error.code == .sourceChanged, !opened.source.hasListedSegments { transport.fail(error) }
        return failure(error, ofSegment: index, in: plan, opened)
    }

    private func playlists(_ opened: OpenedMedia) -> Playlists {
        opened.playlists(
            from: setup.request.startPosition,
            subtitles.tracks,
            lateCaptions: findings.lateCaptions
        )
    }

    private func cover(of opened: OpenedMedia) async -> MediaResource {
        guard let stream = opened.cover, let type = stream.coverMimeType else { return .notFound }
        do throws(EngineError) {
            return .file(ByteBody(try await media.opener.picture(of: stream.index)), mimeType: type)
        } catch {
            return failure(error)
        }
    }

    /// A WebVTT segment. It depends only on the source, the track, the index and the delay, not on which tracks are
    /// selected.
    private func text(
        of track: Int,
        segment index: Int,
        delayedBy delay: MediaTime,
        _ opened: OpenedMedia
    ) async -> MediaResource {
        guard let decoder = subtitles.decoder, subtitles.tracks.isServed(track) else { return .notFound }
        guard index < opened.plan.segmentCount else { return opened.plan.isComplete ? .notFound : .notReady }
        if opened.isLost(index) { return .dropped(.earlier(segment: index, opened.source.file.path)) }
        do throws(EngineError) {
            var segment = try await decoder.segment(index, of: track)
            if delay != .zero {
                guard let moved = try await moved(segment, of: track, by: delay, decoder) else { return .notReady }
                segment = moved
            }
            return .file(ByteBody(WebVTTSegment.bytes(of: segment.cues, in: segment.range)), mimeType: "text/vtt")
        } catch {
            return failure(error, ofSegment: index, in: opened.plan, opened)
        }
    }

    /// The cues of a delayed rendition in the range of `segment`. `nil` while the scan has not reached them.
    private func moved(
        _ segment: SubtitleDecoder.Segment,
        of track: Int,
        by delay: MediaTime,
        _ decoder: SubtitleDecoder
    ) async throws(EngineError) -> SubtitleDecoder.Segment? {
        guard let opened = media.opened else { return nil }
        let wanted = MediaTimeRange(start: segment.range.start - delay, end: segment.range.end - delay)
        guard opened.plan.isComplete || opened.reachable.map({ $0 > wanted.end }) ?? false else { return nil }
        var cues: [Cue] = []
        var known: Set<UInt64> = []
        if wanted.end > .zero, opened.reachable.map({ $0 > wanted.start }) ?? false {
            for index in opened.segment(at: max(.zero, wanted.start))...opened.segment(at: wanted.end) {
                for cue in try await decoder.segment(index, of: track).cues where cue.overlaps(wanted) {
                    if known.insert(cue.id).inserted { cues.append(cue.shifted(by: delay).clippedToTimeline) }
                }
            }
        }
        return SubtitleDecoder.Segment(cues: cues, range: segment.range)
    }

    // MARK: Stills

    /// Waits for the scan to end: players fetch the storyboard once, and assume that it covers the whole source.
    private func storyboard() async -> MediaResource {
        await planning.untilComplete()
        guard let opened = media.opened, !media.isStopped else { return .gone }
        guard let storyboard = playlists(opened).storyboard() else { return .notReady }
        return .file(ByteBody(storyboard.bytes(sheetPrefix: Playlists.sheetPrefix)), mimeType: "text/vtt")
    }

    /// A storyboard sheet of thumbnails, made on request.
    private func storyboardSheet(_ index: Int) async -> MediaResource {
        await planning.untilComplete()
        guard let opened = media.opened, !media.isStopped, !Task.isCancelled else { return .gone }
        let playlists = playlists(opened)
        guard let storyboard = playlists.storyboard(), let stills = stills() else { return .notReady }
        if let known = sheets.sheet(index) { return .file(ByteBody(known), mimeType: "image/jpeg") }
        do throws(EngineError) {
            guard let bytes = try await stills.extractor.sheet(index, of: storyboard, playlists.plan) else {
                return .notFound
            }
            sheets.keep(bytes, index)
            return .file(ByteBody(bytes), mimeType: "image/jpeg")
        } catch {
            return failure(error)
        }
    }

    /// A keyframe for trick play, as a segment of its own.
    private func keyframe(_ index: Int, _ opened: OpenedMedia) async -> MediaResource {
        guard opened.source.lead.videoBridge == nil else { return .notFound }
        let plan = opened.plan.trickPlayPlan
        guard index < plan.segmentCount else { return plan.isComplete ? .notFound : .notReady }
        let reader = keyframes ?? KeyframeReader(opened.source)
        keyframes = reader
        do throws(EngineError) {
            let body = try await reader.keyframe(of: index, plan, trackEnds: opened.trackEnds)
            return .segment(body, isVideo: true, version: opened.source.file.versionKey)
        } catch {
            return failure(error, ofSegment: index, in: plan, opened)
        }
    }

    /// `nil` while the source is not open.
    func stills() -> SessionStills? {
        guard let opened = media.opened, !media.isStopped else { return nil }
        let made = extractor ?? FrameExtractor(.opened(opened.source))
        extractor = made
        return SessionStills(extractor: made, plan: opened.plan, duration: opened.duration)
    }

    /// Releases the threads of the readers.
    func shutDown() {
        extractor?.shutDown()
        extractor = nil
        keyframes?.shutDown()
        keyframes = nil
    }
}

extension EngineError {
    /// The error for a segment of a live stream that an earlier process announced, and whose media only that process
    /// had.
    fileprivate static func earlier(segment index: Int, _ path: String) -> EngineError {
        EngineError(.sourceNotReadable, "segment \(index) of \(path) was sent before the engine was started again")
    }
}

/// The extractor that makes a source's stills, with what is known about the source.
struct SessionStills: Sendable {
    let extractor: FrameExtractor
    var plan: SegmentPlan?
    var duration: MediaTime?
}

extension StreamDescription {
    private static let coverTypes = [
        "mjpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp",
    ]
    /// In bytes. Larger pictures are not served as the cover.
    private static let largestCover: UInt64 = 16 << 20

    /// The MIME type of a picture embedded in the source file. `nil` for any other stream, and for a picture that is
    /// too large.
    var coverMimeType: String? {
        guard payloadByteCount > 0, payloadByteCount <= Self.largestCover else { return nil }
        switch kind {
        case .coverArt: return Self.coverTypes[codec.rawValue]
        case .attachment: return Self.coverTypes.values.first { $0 == mimeType.lowercased() }
        case .video, .audio, .subtitle, .data: return nil
        }
    }
}
