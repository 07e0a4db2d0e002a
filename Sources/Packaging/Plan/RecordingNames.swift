// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The names of the files of a recording: `film.mp4`, then `film-2.mp4`, …, each with subtitles such as `film.en.srt`.
/// Pure.
package struct RecordingNames {
    private let stem: [UInt8]
    private let suffix: [UInt8]

    /// - Parameter path: the path of the first file.
    package init(_ path: FilePath) {
        let name = path.bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        // A dot at the start of a name does not begin a suffix.
        let dot = path.bytes[name...].lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > name ? $0 : nil }
        stem = Array(path.bytes[..<(dot ?? path.bytes.count)])
        suffix = dot.map { Array(path.bytes[$0...]) } ?? []
    }

    /// - Parameter part: counted from 1.
    package func media(_ part: Int) -> FilePath { FilePath(base(part) + suffix) }

    /// The files for subtitle tracks, in their order. Each has the track's language in its name, and a number if an
    /// earlier track has the same language.
    package func subtitles(_ part: Int, _ languages: [String]) -> [FilePath] {
        var counts: [String: Int] = [:]
        return languages.map { language in
            // A language of the source may be any text.
            let plain = language.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let word = plain.isEmpty ? "und" : plain
            counts[word, default: 0] += 1
            let number = counts[word, default: 1]
            return FilePath(base(part) + Array(".\(word)\(number > 1 ? "-\(number)" : "").srt".utf8))
        }
    }

    private func base(_ part: Int) -> [UInt8] { part > 1 ? stem + Array("-\(part)".utf8) : stem }
}
