// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// The titles of a disc: a line per title, with a star for the main one.
struct TitlesText {
    let media: MediaDescription

    /// - Throws: if the source is not a disc. The engine ignores the title that a load of such a source asks for.
    func requireDisc() throws(Failure) {
        guard media.titles.isEmpty else { return }
        throw Failure(.failed, Words.plain("\(media.source) is not a disc: it has no titles"))
    }

    var lines: [String] {
        media.titles.map { title in
            var parts = ["\(title.number)", Words.time(title.duration, withMilliseconds: true)]
            parts.append(Words.plain(title.name))
            if title.chapterCount > 0 { parts.append("\(title.chapterCount) chapters") }
            if title.angleCount > 1 { parts.append("\(title.angleCount) angles") }
            return "\(title.isMain ? "*" : " ") \(parts.joined(separator: "  "))"
        }
    }

    var json: JSON {
        .object(("source", .string(media.source)), ("titles", .array(media.titles.map(\.json))))
    }
}
