// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Segments
internal import Stills
internal import Subtitles

// What players fetch besides video and audio.
extension PlaybackSession {
    /// A WebVTT segment. It depends only on the source, the track and the index, not on which tracks are selected.
    func text(of track: Int, segment index: Int, _ media: OpenedMedia) async -> MediaResource {
        guard let decoder = subtitles.decoder, subtitles.isServed(track) else { return .notFound }
        guard index < media.plan.segmentCount else { return media.plan.isComplete ? .notFound : .notReady }
        do throws(EngineError) {
            let segment = try await decoder.segment(index, of: track)
            return .file(ByteBody(WebVTTSegment.bytes(of: segment.cues, in: segment.range)), mimeType: "text/vtt")
        } catch {
            if error.code == .unavailable { return .notReady }
            return isStopped ? .gone : .failed(error)
        }
    }

    /// Waits for the scan to end: players fetch the storyboard once and take it to cover the whole source.
    func storyboard() async -> MediaResource {
        await media.planned()
        guard let media = media.opened, !isStopped else { return .gone }
        guard let storyboard = playlists(media).storyboard() else { return .notReady }
        return .file(ByteBody(storyboard.bytes(sheetPrefix: Playlists.sheetPrefix)), mimeType: "text/vtt")
    }

    /// A storyboard sheet of thumbnails, made on request.
    func storyboardSheet(_ index: Int) async -> MediaResource {
        await media.planned()
        guard let media = media.opened, !isStopped, !Task.isCancelled else { return .gone }
        let playlists = playlists(media)
        guard let storyboard = playlists.storyboard(), let subject = stillSubject() else { return .notReady }
        if let known = serving.sheet(index) { return .file(ByteBody(known), mimeType: "image/jpeg") }
        do throws(EngineError) {
            guard let bytes = try await subject.extractor.sheet(index, of: storyboard, playlists.plan) else {
                return .notFound
            }
            serving.keep(bytes, index)
            return .file(ByteBody(bytes), mimeType: "image/jpeg")
        } catch {
            return isStopped ? .gone : .failed(error)
        }
    }

    /// A keyframe for fast-forward and rewind, as a segment of its own.
    func keyframe(_ index: Int, _ media: OpenedMedia) async -> MediaResource {
        let plan = media.plan.winding
        guard index < plan.segmentCount else { return plan.isComplete ? .notFound : .notReady }
        let reader = serving.keyframeReader(of: media.source)
        do throws(EngineError) {
            let body = try await reader.keyframe(of: index, plan, trackEnds: media.trackEnds)
            return .segment(body, isVideo: true)
        } catch {
            return isStopped ? .gone : .failed(error)
        }
    }

    /// `nil` while the source is not open.
    func stillSubject() -> SessionStills? {
        guard let media = media.opened, !isStopped else { return nil }
        return SessionStills(
            extractor: serving.frameExtractor(of: media.source),
            plan: media.plan,
            duration: media.duration
        )
    }
}
