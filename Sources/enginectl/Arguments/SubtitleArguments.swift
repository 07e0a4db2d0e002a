// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The source of subtitles: a file, or a session of the engine.
struct SubtitlePlaceArgument: ExpressibleByArgument {
    let place: SubtitlePlace
    /// Whether it is a session. Sessions exist only in a running engine, so no engine is started for one.
    var isSession: Bool { if case .session = place { true } else { false } }

    /// A number is a session ID unless a file has that name.
    init(argument: String) {
        let isNumber = !argument.isEmpty && argument.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, !FileArgument(argument).exists {
            place = .session(SessionID(rawValue: argument))
        } else {
            place = .source(FileArgument.source(argument))
        }
    }

    init(place: SubtitlePlace) { self.place = place }
}

/// A user's choice of subtitle track: its number among the subtitle tracks, or its language.
struct SubtitleTrackArgument: Equatable, ExpressibleByArgument {
    let choice: SubtitleChoice

    static let form = "A subtitle track: its number, counted from 0, or its language (de, English)."

    init?(argument: String) {
        guard !argument.isEmpty, !ByteText.hasEscapes(argument) else { return nil }
        guard argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            choice = .language(argument)
            return
        }
        guard let number = Int(argument), number < 1 << 31 else { return nil }
        choice = .number(number)
    }
}

/// A user's choice of subtitle tracks: IDs, or languages in order of preference.
struct SubtitlesArgument: Equatable, ExpressibleByArgument {
    let selection: SubtitleSelection

    static let form = "Subtitle tracks: ids (3 or 3,4), languages (de,en), auto or none."

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0.trimmingPrefix { $0 == " " }) }
        guard words.allSatisfy({ !$0.isEmpty }), !ByteText.hasEscapes(argument) else { return nil }
        if argument == "auto" {
            selection = .automatic
        } else if argument == "none" {
            selection = .none
        } else if words.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) {
            let ids = words.compactMap { Int($0) }.filter { $0 < 1 << 31 }
            guard ids.count == words.count, ids.count <= SubtitleSelection.limit else { return nil }
            selection = .tracks(ids)
        } else {
            selection = .languages(words)
        }
    }
}

/// The initial subtitles: existing tracks, or a sidecar file, which is shown.
enum LoadSubtitlesArgument: Equatable, ExpressibleByArgument {
    case tracks(SubtitleSelection)
    case file(Sidecar)

    static let form =
        "Subtitle tracks: ids (3 or 3,4), languages (de,en), auto or none. Or a subtitle file or URL to show; repeat for more."

    private static let extensions = [".srt", ".ass", ".ssa", ".vtt", ".sup", ".idx", ".sub"]

    init?(argument: String) {
        let isFile = argument.contains("/") || Self.extensions.contains { argument.lowercased().hasSuffix($0) }
        if isFile {
            var sidecar = Sidecar(path: FileArgument.source(argument))
            sidecar.isShown = true
            self = .file(sidecar)
        } else {
            guard let tracks = SubtitlesArgument(argument: argument) else { return nil }
            self = .tracks(tracks.selection)
        }
    }

    var selection: SubtitleSelection? { if case .tracks(let selection) = self { selection } else { nil } }
    var sidecar: Sidecar? { if case .file(let sidecar) = self { sidecar } else { nil } }
}
