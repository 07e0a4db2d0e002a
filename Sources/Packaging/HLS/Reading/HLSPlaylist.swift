// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A playlist as a server delivers it (RFC 8216, draft-pantos-hls-rfc8216bis). Pure.
///
/// Mistakes with only one possible meaning are tolerated and reported as notices (`HLSNotice`). Mistakes that would
/// make the bytes, the key or the number of an entry a guess are errors (`HLSPlaylistError`).
package enum HLSPlaylist: Hashable, Sendable {
    case multivariant(HLSMultivariantPlaylist)
    case media(HLSMediaPlaylist)

    /// - Parameters:
    ///   - bytes: the body, without content codings.
    ///   - url: the playlist's URL after redirects. Relative URLs are resolved against it.
    ///   - variables: those of the multivariant playlist, for EXT-X-DEFINE with IMPORT.
    ///   - base: the previous version of the same media playlist, which completes a delta update (EXT-X-SKIP). Not used
    ///     for a complete playlist.
    package static func parse(
        _ bytes: [UInt8],
        url: String,
        importing variables: [String: String] = [:],
        continuing base: HLSMediaPlaylist? = nil
    ) throws(HLSPlaylistError) -> HLSPlaylist {
        let isMultivariant = try isMultivariant(bytes)
        var reading = HLSReading(url: url, importing: variables)
        var lines = try HLSLines(bytes, notices: &reading.notices)
        if isMultivariant {
            var reader = MultivariantPlaylistReader(reading)
            while let line = try lines.next(&reader.reading.notices) { try reader.read(line) }
            return .multivariant(reader.finish())
        }
        var reader = MediaPlaylistReader(reading, continuing: base)
        while let line = try lines.next(&reader.reading.notices) { try reader.read(line) }
        return .media(try reader.finish())
    }

    package var url: String {
        switch self {
        case .multivariant(let playlist): playlist.url
        case .media(let playlist): playlist.url
        }
    }

    package var notices: HLSNotices {
        switch self {
        case .multivariant(let playlist): playlist.notices
        case .media(let playlist): playlist.notices
        }
    }

    /// Reads up to the first tag of a variant, a segment or a part, which decides. Without one, the other tags decide.
    /// The readers reject a playlist with both variants and segments.
    private static func isMultivariant(_ bytes: [UInt8]) throws(HLSPlaylistError) -> Bool {
        var notices = HLSNotices()
        var lines = try HLSLines(bytes, notices: &notices)
        var hasRenditions = false
        var hasMediaTags = false
        var hasTags = false
        while let line = try lines.next(&notices) {
            guard case .tag(let name, _) = line.content else { continue }
            hasTags = hasTags || name.hasPrefix(HLSLine.tagPrefix)
            switch name {
            case "EXT-X-STREAM-INF", "EXT-X-I-FRAME-STREAM-INF": return true
            case "EXTINF", "EXT-X-PART", "EXT-X-SKIP", "EXT-X-PRELOAD-HINT": return false
            case "EXT-X-MEDIA": hasRenditions = true
            case "EXT-X-TARGETDURATION", "EXT-X-MEDIA-SEQUENCE", "EXT-X-ENDLIST", "EXT-X-PART-INF",
                "EXT-X-PLAYLIST-TYPE":
                hasMediaTags = true
            default: break
            }
        }
        guard hasRenditions || hasMediaTags else { throw HLSPlaylistError(hasTags ? .empty : .plainM3U) }
        return !hasMediaTags
    }
}

/// EXT-X-START (RFC 8216 §4.3.5.2).
package struct HLSStart: Hashable, Sendable {
    /// From the start of the playlist; if negative, from its end.
    package var offset: MediaTime
    package var isPrecise: Bool
}

/// The size of the picture.
package struct HLSResolution: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}
