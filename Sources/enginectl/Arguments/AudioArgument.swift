// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// A user's choice of audio track: a stream index, or languages in order of preference.
struct AudioArgument: Equatable, ExpressibleByArgument {
    let selection: AudioSelection

    static let form = "An audio track: its number in `tracks`, languages (de,en,Japanese), or auto."

    init?(argument: String) {
        if argument == "auto" {
            selection = .automatic
        } else if argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard let index = Int(argument), index < 1 << 31 else { return nil }
            selection = .stream(index)
        } else {
            let languages = argument.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingPrefix { $0 == " " } }.map(String.init)
            guard languages.allSatisfy({ !$0.isEmpty }), !ByteText.hasEscapes(argument) else { return nil }
            selection = .languages(languages)
        }
    }
}
