// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The text output of `probe`: the file, its streams (below their programs if there are several), then titles,
/// chapters, subtitle files beside it, variants and tags.
struct ProbeText {
    let media: MediaDescription

    var lines: [String] {
        var lines = [Words.plain(media.source), "  " + summary]
        if media.programs.count > 1 {
            lines += ProgramsText(media: media).lines.map { "  " + $0 }
        } else {
            lines += media.streams.map { "  " + StreamText(stream: $0).line }
        }
        if !media.titles.isEmpty {
            lines.append("  titles")
            lines += TitlesText(media: media).lines.map { "  " + $0 }
        }
        if !media.chapters.isEmpty {
            lines.append("  chapters")
            lines += media.chapters.map {
                "    \(Words.time($0.start, withMilliseconds: true))  \(Words.plain($0.title))"
            }
        }
        if !media.subtitleFiles.isEmpty {
            lines.append("  subtitle files")
            lines += media.subtitleFiles.map { "    " + SubtitlesText.describe($0) }
        }
        if !media.variants.isEmpty {
            lines.append("  variants")
            lines += media.variants.map { "  " + $0.line }
        }
        lines += tagLines(media.tags, indent: "  ")
        return lines
    }

    private var summary: String {
        var parts = [media.containerName.isEmpty ? media.container : media.containerName]
        parts.append(media.duration.map { Words.time($0, withMilliseconds: true) } ?? "unknown duration")
        if media.byteCount > 0 { parts.append(Words.bytes(media.byteCount)) }
        if media.bitRate > 0 { parts.append(Words.bitRate(media.bitRate)) }
        if media.start != .zero { parts.append("starts at \(Words.time(media.start, withMilliseconds: true))") }
        return parts.joined(separator: ", ")
    }

    private func tagLines(_ tags: [Tag], indent: String) -> [String] {
        guard !tags.isEmpty else { return [] }
        return ["\(indent)tags"] + tags.map { "\(indent)  \(Words.plain($0.key)): \(Words.plain($0.value))" }
    }
}
