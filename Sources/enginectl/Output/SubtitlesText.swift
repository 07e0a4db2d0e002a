// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON
internal import Packaging

/// The output of `subtitles`: a line per track, with its number for `cues --track` and its ID.
struct SubtitlesText {
    let state: SessionState

    var lines: [String] {
        state.subtitleTracks.enumerated().map { number, track in
            let mark = state.selectedSubtitles.contains(track.id) ? "*" : " "
            return "\(mark) \(number): \(Self.describe(track))"
        }
    }

    /// For example `#3 [ger] "Full": subrip, default`.
    static func describe(_ track: SubtitleTrack) -> String {
        let language = track.language.isEmpty ? "" : " [\(track.language)]"
        let title = track.title.isEmpty ? "" : " \"\(track.title)\""
        var words = [track.codec.rawValue] + track.dispositions
        if !track.charset.isEmpty { words.append(track.charset) }
        if track.isFound { words.append("found") }
        if case .sidecar(let path) = track.origin { words.append(path) }
        return Words.plain("#\(track.id)\(language)\(title): \(words.joined(separator: ", "))")
    }

    /// - Throws: if one of the tracks does not exist, or if no track has any of the languages.
    func require(_ selection: SubtitleSelection) throws(Failure) {
        guard SubtitleChooser(state.subtitleTracks).ids(selection).isIncomplete else { return }
        let ids = state.subtitleTracks.map(\.id)
        let wanted =
            switch selection {
            case .automatic: "auto"
            case .none: "none"
            case .tracks(let tracks): tracks.filter { !ids.contains($0) }.map(String.init).joined(separator: ",")
            case .languages(let languages): languages.joined(separator: ",")
            }
        let known = state.subtitleTracks.map { Words.track($0.id, $0.language) }
        throw Failure(.failed, Words.missing("subtitle track", wanted, among: known))
    }

    func write(asJSON isJSON: Bool) throws(Failure) {
        if isJSON {
            try Terminal.write(json.indentedText)
        } else {
            try Terminal.write(lines, orNone: "the source has no subtitle tracks")
        }
    }

    var json: JSON {
        .object(
            ("session", .string(state.id.rawValue)),
            ("selected_subtitles", .array(state.selectedSubtitles.map { .integer($0) })),
            ("subtitle_tracks", .array(state.subtitleTracks.map(\.json)))
        )
    }
}
