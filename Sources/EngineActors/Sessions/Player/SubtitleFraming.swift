// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import Reading
internal import Subtitles

/// Has the selected subtitles drawn into decoded frames, if the load request asks for it.
///
/// Belongs to the session's actor.
final class SubtitleFraming {
    private struct Shown: Equatable {
        let tracks: [Int]
        let delay: MediaTime
    }

    private let parts: SessionParts
    private let filters: SessionFilters
    private var shown: Shown?
    private var frames: SubtitleFrames?
    /// By track, so that the fonts of the source are read only once for each.
    private var burners: [Int: SubtitleBurner] = [:]
    private var isGrowthReported = false

    init(_ parts: SessionParts, _ filters: SessionFilters) { (self.parts, self.filters) = (parts, filters) }

    /// Follows the selection and the delay.
    ///
    /// - Returns: whether the frame on screen must be redrawn.
    func follow() -> Bool {
        let (setup, media, subtitles) = (parts.setup, parts.media, parts.subtitles)
        guard setup.request.options.drawsSubtitles, !media.isStopped, let source = media.opened?.source,
            let decoder = subtitles.decoder
        else { return false }
        let tracks = subtitles.tracks.shown
        let now = Shown(tracks: tracks.map(\.id), delay: parts.transport.player.controls.delays.subtitles)
        guard now != shown, !now.tracks.isEmpty || shown != nil else { return false }
        guard source.file.growth == nil else {
            if !isGrowthReported { setup.publish(.notBurned("the source is still growing")) }
            isGrowthReported = true
            return false
        }
        shown = now
        stopDrawing()
        burners = burners.filter { now.tracks.contains($0.key) }
        var pictures: [SubtitleBurner] = []
        for track in tracks {
            guard let burner = burners[track.id] ?? media.burner(of: track, by: decoder, of: setup) else { continue }
            burners[track.id] = burner
            pictures.append(burner)
        }
        if !pictures.isEmpty {
            let treatment = filters.sharedTreatment
            frames = SubtitleFrames(
                pictures,
                delayedBy: now.delay,
                onLate: { setup.publish(.notBurned("they are drawn too slowly; some frames are shown without them")) },
                onCaughtUp: { treatment.noteDrawn() }
            )
        }
        filters.sharedTreatment.show(frames)
        return true
    }

    /// The session has ended.
    func stop() {
        stopDrawing()
        burners = [:]
    }

    private func stopDrawing() {
        guard let frames else { return }
        self.frames = nil
        // The task owns the drawings from now on, and ends when it has cancelled them.
        Task { await frames.stop() }
    }
}
