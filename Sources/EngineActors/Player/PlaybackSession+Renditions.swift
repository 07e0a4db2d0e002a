// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// What players fetch beside pictures and sound.
extension PlaybackSession {
    /// The tracks that are served as WebVTT.
    var textTracks: [SubtitleTrack] { subtitles?.tracks.filter(\.isText) ?? [] }

    /// Of the tracks that are shown, the first that a player can show by itself.
    var defaultTextTrack: Int? {
        let served = Set(textTracks.map(\.id))
        return subtitles?.selected.first { served.contains($0) }
    }

    func isServed(subtitles track: Int) -> Bool { textTracks.contains { $0.id == track } }

    /// A segment of subtitles: a function of the source and its index, whichever tracks are shown.
    func text(of track: Int, segment index: Int, _ media: Media) async -> MediaResource {
        guard let decoder = subtitles?.decoder, isServed(subtitles: track) else { return .notFound }
        guard index < media.plan.segmentCount else { return media.plan.isComplete ? .notFound : .notReady }
        do throws(EngineError) {
            let segment = try await decoder.segment(index, of: track)
            return .file(ByteBody(WebVTTSegment.bytes(of: segment.cues, in: segment.range)), mimeType: "text/vtt")
        } catch {
            if error.code == .unavailable { return .notReady }
            return isStopped ? .gone : .failed(error)
        }
    }

    /// Waits for the end of the film to be known: players ask once, and take what they get for the whole film.
    func storyboard() async -> MediaResource {
        await planning?.value
        guard let media, !isStopped else { return .gone }
        guard let storyboard = playlists(media).storyboard() else { return .notReady }
        return .file(ByteBody(storyboard.bytes(sheetPrefix: Playlists.sheetPrefix)), mimeType: "text/vtt")
    }

    /// A sheet of small pictures, made when it is asked for.
    func storyboardSheet(_ index: Int) async -> MediaResource {
        await planning?.value
        guard let media, !isStopped, !Task.isCancelled else { return .gone }
        let playlists = playlists(media)
        guard let storyboard = playlists.storyboard(), let subject = stillSubject() else { return .notReady }
        if let known = sheets.sheet(index) { return .file(ByteBody(known), mimeType: "image/jpeg") }
        do throws(EngineError) {
            guard let bytes = try await subject.extractor.sheet(index, of: storyboard, playlists.plan) else {
                return .notFound
            }
            sheets.keep(bytes, index)
            return .file(ByteBody(bytes), mimeType: "image/jpeg")
        } catch {
            return isStopped ? .gone : .failed(error)
        }
    }

    /// A picture by which a player winds, as a segment of its own.
    func keyframe(_ index: Int, _ media: Media) async -> MediaResource {
        let plan = media.plan.winding
        guard index < plan.segmentCount else { return plan.isComplete ? .notFound : .notReady }
        let reader = keyframes ?? KeyframeReader(media.source)
        keyframes = reader
        do throws(EngineError) {
            let body = try await reader.keyframe(of: index, plan, trackEnds: media.trackEnds)
            return .segment(body, isVideo: true)
        } catch {
            return isStopped ? .gone : .failed(error)
        }
    }
}
