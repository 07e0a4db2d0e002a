// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineJSON

/// The titles of a disc: a line per title, with a star for the main one.
struct TitlesText {
    let media: MediaDescription

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
