// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Foundation

extension Cue {
    package var json: JSON {
        var members: [(String, JSON?)] = [
            // A string, because most JSON parsers cannot represent 64-bit integers exactly.
            ("id", .string(String(id, radix: 16))), ("track", .integer(track)),
            ("start_us", .whole(start.microseconds)),
            ("end_us", end.map { .whole($0.microseconds) } ?? .null), ("forced", .bool(isForced)),
        ]
        switch content {
        case .text(let text):
            members += [
                ("text", .string(text.plain)), ("runs", .array(text.runs.map(\.json))),
                ("alignment", .integer(text.alignment)), ("position", text.position?.json),
                ("raw", text.raw.map { .string($0) }),
            ]
        case .image(let image): members.append(("image", image.json))
        case .nothing: break
        }
        return .object(members.compactMap { name, value in value.map { JSON.Member(name: name, value: $0) } })
    }
}

extension TextRun {
    package var json: JSON {
        .object(
            ("text", .string(text)),
            ("bold", .bool(isBold)),
            ("italic", .bool(isItalic)),
            ("underline", .bool(isUnderlined)),
            ("strikeout", .bool(isStruckOut)),
            ("color", color.map { .string("#" + String(format: "%06x", $0 & 0xFF_FFFF)) } ?? .null),
            ("font", font.map { .string($0) } ?? .null),
            ("size", size.map { .number($0) } ?? .null)
        )
    }
}

extension CuePosition {
    package var json: JSON { .object(("x", .number(x)), ("y", .number(y))) }
}

extension CueImage {
    package var json: JSON {
        .object(
            ("png", .string(Data(png).base64EncodedString())),
            ("width", .integer(width)),
            ("height", .integer(height)),
            ("x", .number(corner.x)),
            ("y", .number(corner.y)),
            ("extent_x", .number(extent.x)),
            ("extent_y", .number(extent.y)),
            ("canvas_width", .integer(canvasWidth)),
            ("canvas_height", .integer(canvasHeight))
        )
    }
}

extension CueBatch {
    /// A part of the answer to `GetCues`.
    package var json: JSON {
        .object(
            ("tracks", .array(tracks.map(\.json))),
            ("cues", .array(cues.map(\.json))),
            ("progress", .number(progress)),
            ("script_header", scriptHeader.isEmpty ? nil : .string(scriptHeader))
        )
    }
}

extension DrawnPicture {
    package var json: JSON {
        .object(
            ("start_us", .whole(start.microseconds)),
            ("end_us", end.map { .whole($0.microseconds) } ?? .null),
            ("images", .array(images.map(\.json)))
        )
    }
}

extension DrawnBatch {
    /// A part of the answer to `DrawSubtitles`.
    package var json: JSON {
        .object(
            ("track", track?.json),
            ("fonts", fonts.map { .integer($0.count) }),
            ("fonts_left_out", fonts.map { .integer($0.leftOutCount) }),
            ("fonts_unavailable", fonts.map { .string($0.failure) }),
            ("pictures", .array(pictures.map(\.json))),
            ("progress", .number(progress))
        )
    }
}

extension SubtitleTrack {
    package var json: JSON {
        let path: JSON? = if case .sidecar(let path) = origin { .string(path) } else { nil }
        return .object(
            ("id", .integer(id)),
            ("codec", .string(codec.rawValue)),
            ("language", .string(language)),
            ("title", .string(title)),
            ("dispositions", .array(dispositions.map { .string($0) })),
            ("text", .bool(isText)),
            ("path", path),
            ("charset", charset.isEmpty ? nil : .string(charset)),
            ("found", path.map { _ in .bool(isFound) })
        )
    }
}

extension CueEvent.Stage {
    package var word: String {
        switch self {
        case .appeared: "appeared"
        case .disappeared: "disappeared"
        case .ahead: "ahead"
        }
    }
}
