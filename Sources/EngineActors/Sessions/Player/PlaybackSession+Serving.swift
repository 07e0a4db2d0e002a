// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading
package import Segments

// The resources that players fetch.
extension PlaybackSession {
    /// The resource at `path`, below the session's token. Waits while the source is being opened.
    package func resource(at path: String, query: String) async -> MediaResource {
        await untilOpen()
        guard let media = media.opened else { return isStopped ? .gone : .notReady }
        guard !isStopped else { return .gone }
        guard let route = MediaRoute(path, query: query, source: media.source) else { return .notFound }
        if let refusal = route.refusal(media.source) { return .failed(refusal) }
        switch route {
        case .cover: return await cover(of: media)
        case .master(let stream):
            let place = stream.map { media.audio.place(ofStream: $0) } ?? media.audio.servedPlace
            if stream != nil, place == nil { return .notFound }
            return .playlist(playlists(media).master(audio: place))
        case .playlist(let track): return .playlist(playlists(media).media(track: track))
        case .initSegment(let track, let version):
            return media.initSegment(of: track, version: version)
        case .subtitlePlaylist(let track):
            guard subtitles.isServed(track) else { return .notFound }
            return .playlist(playlists(media).subtitles(track: track))
        case .subtitleSegment(let track, let index): return await text(of: track, segment: index, media)
        case .keyframePlaylist: return .playlist(playlists(media).keyframes())
        case .keyframe(let index): return await keyframe(index, media)
        case .storyboard: return await storyboard()
        case .storyboardSheet(let index): return await storyboardSheet(index)
        case .segment(let track, let index):
            guard index < media.plan.segmentCount else { return media.plan.isComplete ? .notFound : .notReady }
            do throws(EngineError) {
                let body = try await media.producer.segment(index, track: track)
                counters.noteServed()
                publishStatisticsSoon()
                return .segment(body, isVideo: media.source.tracks[track].kind == .video)
            } catch {
                return isStopped ? .gone : .failed(error)
            }
        }
    }

    /// Returns when the source is open, or when the session has ended without opening it.
    func untilOpen() async {
        if media.opened == nil, !isStopped { await withCheckedContinuation { serving.hold($0) } }
    }

    /// For audio taps, which read the source independently of playback. `nil` while the source is not open, and once the
    /// session has ended.
    var openedMedia: (source: OpenedSource, plan: SegmentPlan)? {
        guard !isStopped, let media = media.opened else { return nil }
        return (media.source, media.plan)
    }

    func playlists(_ media: OpenedMedia) -> Playlists {
        media.playlists(from: request.startPosition, subtitles, lateCaptions: ledger.lateCaptions)
    }

    private func cover(of media: OpenedMedia) async -> MediaResource {
        guard let stream = media.cover, let type = stream.coverMimeType else { return .notFound }
        do throws(EngineError) {
            return .file(ByteBody(try await self.media.opener.picture(of: stream.index)), mimeType: type)
        } catch {
            return isStopped ? .gone : .failed(error)
        }
    }
}

extension StreamDescription {
    private static let coverTypes = [
        "mjpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp",
    ]
    /// In bytes. Larger pictures are not served as cover art.
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
