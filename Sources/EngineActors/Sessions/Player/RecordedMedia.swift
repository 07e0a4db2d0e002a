// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Subtitles

/// The parts of a session that a recorder reads.
struct RecordedMedia: Sendable {
    let opened: OpenedMedia
    let subtitles: SubtitleDecoder?
    let textTracks: [SubtitleTrack]
    /// The playhead's position.
    let position: MediaTime

    init(_ opened: OpenedMedia, _ subtitles: SessionSubtitles, at position: MediaTime) {
        (self.opened, self.position) = (opened, position)
        (self.subtitles, textTracks) = (subtitles.decoder, subtitles.tracks.text)
    }
}
