// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

extension MediaDescription {
    /// The streams that hold cues, as tracks, in the order of the source.
    var subtitleTracks: [SubtitleTrack] {
        streams.filter { $0.kind == .subtitle }.map { stream in
            SubtitleTrack(
                id: stream.index,
                codec: stream.codec,
                language: stream.language,
                title: stream.title,
                dispositions: stream.dispositions,
                isText: SubtitleCodec.isText(stream.codec),
                origin: .embedded(stream: stream.index)
            )
        }
    }
}
