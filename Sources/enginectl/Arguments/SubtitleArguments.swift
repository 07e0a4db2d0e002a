// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import Foundation

/// Where subtitles are: a file, or a session of the engine.
struct SubtitlePlaceArgument: ExpressibleByArgument {
    let place: SubtitlePlace
    /// A session is somebody's: no engine is started for it.
    var isSession: Bool { if case .session = place { true } else { false } }

    /// A number is a session unless a file has it for its name.
    init(argument: String) {
        let isNumber = !argument.isEmpty && argument.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, !FileManager.default.fileExists(atPath: absolutePath(argument)) {
            place = .session(SessionID(rawValue: argument))
        } else {
            place = .source(absoluteSource(argument))
        }
    }

    init(place: SubtitlePlace) { self.place = place }
}

/// A subtitle track as people name it: its number among the subtitle tracks, or its language.
struct SubtitleTrackArgument: Equatable, ExpressibleByArgument {
    let choice: SubtitleChoice

    static let form = "A subtitle track: its number, counted from 0, or its language (de, English)."

    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        guard argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            choice = .language(argument)
            return
        }
        guard let number = Int(argument), number < 1 << 31 else { return nil }
        choice = .number(number)
    }
}
