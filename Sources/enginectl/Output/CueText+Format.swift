// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineJSON
internal import Packaging

/// The output formats of `cues`.
enum CueFormat: String, CaseIterable, ExpressibleByArgument {
    case srt, vtt, ass, json

    /// - Parameter header: the part of an ASS script before its events; empty for other sources.
    func text(of cues: [Cue], header: String) -> String {
        switch self {
        case .srt:
            let texts = cues.filter(\.isText)
            return texts.enumerated().map { SubRipWriter.block($1, number: $0 + 1) }.joined()
        case .vtt: return WebVTTWriter.header + cues.map(WebVTTWriter.block).joined()
        case .ass: return ASSWriter.head(header) + cues.map(ASSWriter.line).joined()
        case .json: return JSON.array(cues.map(\.json)).indentedText + "\n"
        }
    }
}

extension Cue {
    fileprivate var isText: Bool { if case .text = content { true } else { false } }
}
