// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON
internal import Packaging

/// The output of `tracks`: a line per track, including the format that the player receives.
struct TracksText {
    let state: SessionState

    private var streams: [StreamDescription] {
        (state.media?.ownStreams ?? []).filter { $0.kind == .video || $0.kind == .audio }
    }

    var lines: [String] { streams.map { "\(isSelected($0) ? "*" : " ") \(StreamText(stream: $0).line)" } }

    func write(asJSON isJSON: Bool) throws(Failure) {
        try isJSON
            ? Terminal.write(json.indentedText)
            : Terminal.write(lines, orNone: "the source has no video or audio tracks")
    }

    var json: JSON {
        .object(
            ("session", .string(state.id.rawValue)),
            ("selected_audio", state.selectedAudio.map { .integer($0) } ?? .null),
            ("tracks", .array(streams.map(\.json)))
        )
    }

    /// - Throws: if no track matches, in which case the engine would fall back to the default one.
    func require(_ selection: AudioSelection) throws(Failure) {
        let candidates = streams.filter { $0.kind == .audio }.map {
            AudioChoice.Candidate(stream: $0.index, language: $0.language, dispositions: $0.dispositions)
        }
        guard AudioChoice(selection, among: candidates)?.isFallback ?? (selection != .automatic) else { return }
        let wanted =
            switch selection {
            case .automatic: "auto"
            case .stream(let stream): "\(stream)"
            case .languages(let languages): languages.joined(separator: ",")
            }
        let known = candidates.map { Words.track($0.stream, $0.language) }
        throw Failure(.failed, Words.missing("audio track", wanted, among: known))
    }

    private func isSelected(_ stream: StreamDescription) -> Bool {
        stream.kind == .audio && stream.index == state.selectedAudio
    }
}
