// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation

/// `Metadata` (MPRIS v2 metadata guidelines): describes the current source.
enum TrackMetadata {
    static let none: [String: DBusValue] = ["mpris:trackid": .objectPath(MPRIS.noTrack)]

    static func values(of state: SessionState) -> [String: DBusValue] {
        var values: [String: DBusValue] = [
            "mpris:trackid": .objectPath(TrackID.path(of: state)),
            "xesam:url": .string(url(of: state.source)),
            "xesam:title": .string(fileName(of: state.source)),
        ]
        if let duration = state.duration { values["mpris:length"] = .int64(duration.microseconds) }
        if !state.coverArtURL.isEmpty { values["mpris:artUrl"] = .string(state.coverArtURL) }
        for tag in state.metadata where !tag.value.isEmpty {
            guard let (name, kind) = names[tag.key.lowercased()], let value = value(tag.value, kind) else { continue }
            values[name] = value
        }
        return values.merging(broadcast(of: state)) { $1 }
    }

    /// What a live source says about the program that is played. The specification has no names for the start of an
    /// event and for the next event, so these entries have the prefix of this player.
    private static func broadcast(of state: SessionState) -> [String: DBusValue] {
        guard let program = state.media?.program, let guide = state.guide.first(where: { $0.program == program }) else {
            return [:]
        }
        var values: [String: DBusValue] = [:]
        if let present = guide.present {
            if !present.title.isEmpty { values["xesam:title"] = .string(present.title) }
            let comments = [present.text, present.details].filter { !$0.isEmpty }
            if !comments.isEmpty { values["xesam:comment"] = .strings(comments) }
            values["engined:start"] = time(of: present)
        }
        if let following = guide.following {
            if !following.title.isEmpty { values["engined:nextTitle"] = .string(following.title) }
            values["engined:nextStart"] = time(of: following)
        }
        return values
    }

    /// The start of an event in the form of ISO 8601 that MPRIS uses, in UTC.
    private static func time(of event: ProgramEvent) -> DBusValue? {
        event.start.map { start in
            let time = CivilTime(unixMicroseconds: start)
            return .string("\(time.date)T\(time.clock)Z")
        }
    }

    private enum Kind {
        case text, list, number, date
    }

    /// FFmpeg's tag names (libavformat/avformat.h, "Public Metadata API"), and the matching xesam names.
    private static let names: [String: (name: String, kind: Kind)] = [
        "title": ("xesam:title", .text),
        "artist": ("xesam:artist", .list),
        "album": ("xesam:album", .text),
        "album_artist": ("xesam:albumArtist", .list),
        "composer": ("xesam:composer", .list),
        "genre": ("xesam:genre", .list),
        "comment": ("xesam:comment", .list),
        "track": ("xesam:trackNumber", .number),
        "disc": ("xesam:discNumber", .number),
        "lyrics": ("xesam:asText", .text),
        "date": ("xesam:contentCreated", .date),
    ]

    private static func value(_ text: String, _ kind: Kind) -> DBusValue? {
        switch kind {
        case .text: .string(text)
        case .list: .strings([text])
        // `3/12`: track 3 of 12.
        case .number: Int32(text.prefix { $0 != "/" }).map { .int32($0) }
        // A year alone is also a valid ISO 8601 date. Text that does not start with a year is not a date.
        case .date: text.prefix(4).count == 4 && text.prefix(4).allSatisfy(\.isWholeNumber) ? .string(text) : nil
        }
    }

    /// - Parameter source: an absolute path or a URL.
    private static func url(of source: String) -> String {
        guard source.hasPrefix("/") else { return source }
        return "file://" + (source.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? source)
    }

    private static func fileName(of source: String) -> String {
        let last = source.split(separator: "/").last.map(String.init) ?? source
        return source.hasPrefix("/") ? last : last.removingPercentEncoding ?? last
    }
}
