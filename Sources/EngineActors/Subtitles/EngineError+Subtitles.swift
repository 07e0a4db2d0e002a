// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Reading

extension EngineError {
    /// The error for a choice that no track matches.
    package static func noSubtitles(
        _ choice: SubtitleChoice,
        in tracks: [SubtitleTrack],
        of source: String
    ) -> EngineError {
        let path = SourceOpener.shown(source)
        guard !tracks.isEmpty else { return EngineError(.trackNotFound, "\(path) contains no subtitles") }
        let wanted =
            switch choice {
            case .automatic: "any"
            case .id(let id): "stream \(id)"
            case .number(let number): "number \(number)"
            case .language(let language): language
            }
        let known = tracks.enumerated().map { number, track in
            let place = if case .sidecar(let path) = track.origin { path } else { "stream \(track.id)" }
            return "\(number): \(place) \(track.codec.rawValue) \(track.language)"
        }
        return EngineError(
            .trackNotFound,
            "\(path) has no subtitle track \(wanted)",
            cause: "tracks: [\(known.joined(separator: ", "))]"
        )
    }
}
