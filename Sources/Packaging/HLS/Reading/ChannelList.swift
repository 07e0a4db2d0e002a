// SPDX-License-Identifier: Apache-2.0

/// A channel list in M3U form, as TV tuners and providers serve it. It resembles an HLS playlist, but each entry is a
/// source of its own.
package struct ChannelList: Hashable, Sendable {
    /// One entry. Fields other than `url` are empty if the list does not state them.
    package struct Channel: Hashable, Sendable {
        package var name = ""
        /// As in the list: may be relative to it.
        package var url: String
        /// `group-title`, otherwise `EXTGRP`.
        package var group = ""
        /// `tvg-id`, which program guides use.
        package var identifier = ""
        /// `tvg-chno`.
        package var number = ""
        /// `tvg-logo`: the URL of a picture.
        package var logo = ""
    }

    /// The maximum number of channels; further entries are ignored.
    package static let limit = 200_000

    package private(set) var channels: [Channel] = []

    /// - Returns: `nil` if the bytes are not a channel list: they do not begin with `#EXTM3U`, contain an HLS tag
    ///   (`EXT-X-…`; every HLS playlist has one), or list no channel.
    package init?(_ bytes: [UInt8]) {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        var channel = Channel(url: "")
        var isFirst = true
        for line in bytes.dropFirst(hasMark ? 3 : 0).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let text = Self.trimmed(String(decoding: line, as: UTF8.self)[...])
            if text.isEmpty { continue }
            if isFirst {
                guard text.hasPrefix("#EXTM3U") else { return nil }
                isFirst = false
            } else if text.hasPrefix("#EXT-X-") {
                return nil
            } else if text.hasPrefix("#EXTINF:") {
                channel = Self.described(text.dropFirst(8), group: channel.group)
            } else if text.hasPrefix("#EXTGRP:") {
                if channel.group.isEmpty { channel.group = String(Self.trimmed(text.dropFirst(8))) }
            } else if !text.hasPrefix("#"), channels.count < Self.limit {
                channel.url = String(text)
                channels.append(channel)
                channel = Channel(url: "")
            }
        }
        guard !channels.isEmpty else { return nil }
    }

    /// Parses the value of EXTINF: the duration, attributes, and the name after the first comma outside quotes.
    private static func described(_ text: Substring, group: String) -> Channel {
        var isQuoted = false
        let comma = text.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        var channel = Channel(url: "")
        channel.group = group
        if let comma { channel.name = String(trimmed(text[text.index(after: comma)...])) }
        var rest = text[..<(comma ?? text.endIndex)]
        while let equals = rest.firstIndex(of: "=") {
            let key = rest[..<equals].split(whereSeparator: isBlank).last.map { $0.lowercased() } ?? ""
            rest = rest[rest.index(after: equals)...]
            let isQuoted = rest.first == "\""
            if isQuoted { rest = rest.dropFirst() }
            let end = rest.firstIndex { isQuoted ? $0 == "\"" : isBlank($0) } ?? rest.endIndex
            let value = String(rest[..<end])
            rest = rest[end...].dropFirst()
            switch key {
            case "group-title": channel.group = value
            case "tvg-id": channel.identifier = value
            case "tvg-chno": channel.number = value
            case "tvg-logo": channel.logo = value
            case "tvg-name": if channel.name.isEmpty { channel.name = value }
            default: break
            }
        }
        return channel
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return text
    }
}
