// SPDX-License-Identifier: Apache-2.0

/// A multivariant playlist, formerly called a master playlist (RFC 8216 §4.3.4). All URLs are resolved.
package struct HLSMultivariantPlaylist: Hashable, Sendable {
    package var url: String
    package var version: Int?
    /// In playlist order, including redundant variants.
    package var variants: [HLSVariant] = []
    /// From EXT-X-I-FRAME-STREAM-INF.
    package var keyframeVariants: [HLSVariant] = []
    package var renditions: [HLSRendition] = []
    package var sessionData: [HLSSessionData] = []
    package var sessionKeys: [HLSKey] = []
    package var isIndependent = false
    package var start: HLSStart?
    /// EXT-X-CONTENT-STEERING: parsed, but not followed.
    package var steering: HLSContentSteering?
    /// Variables that media playlists can import.
    package var variables: [String: String] = [:]
    package var notices = HLSNotices()

    init(url: String) { self.url = url }

    /// The renditions of a group, in the order of the playlist.
    package func renditions(_ kind: HLSRendition.Kind, group: String?) -> [HLSRendition] {
        guard let group else { return [] }
        return renditions.filter { $0.kind == kind && $0.group == group }
    }
}

/// EXT-X-STREAM-INF (RFC 8216 §4.3.4.2) or EXT-X-I-FRAME-STREAM-INF.
package struct HLSVariant: Hashable, Sendable {
    package var url: String
    /// The peak bit rate in bits per second. 0 if not stated.
    package var bandwidth: Int64
    package var averageBandwidth: Int64?
    package var score: Double?
    /// Empty if not stated.
    package var codecs: [String]
    package var supplementalCodecs: [String]
    package var resolution: HLSResolution?
    package var frameRate: Double?
    package var hdcpLevel: String?
    /// `SDR`, `HLG`, `PQ`, or any other value as written.
    package var videoRange: String?
    package var stableID: String?
    /// GROUP-IDs of renditions. `nil` if the variant has none.
    package var audioGroup: String?
    package var videoGroup: String?
    package var subtitleGroup: String?
    package var captionGroup: String?
    /// CLOSED-CAPTIONS=NONE: no variant of the playlist carries captions.
    package var hasNoCaptions: Bool
    package var pathway: String?
    /// NAME, which older packagers write.
    package var name: String?
}

/// EXT-X-MEDIA (RFC 8216 §4.3.4.1).
package struct HLSRendition: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case audio = "AUDIO"
        case video = "VIDEO"
        case subtitles = "SUBTITLES"
        case captions = "CLOSED-CAPTIONS"
    }

    package var kind: Kind
    /// `nil`: the media is in the variants themselves.
    package var url: String?
    package var group: String
    /// An RFC 5646 language tag, as written.
    package var language: String?
    package var associatedLanguage: String?
    package var name: String
    package var stableID: String?
    package var isDefault: Bool
    package var isAutoselected: Bool
    package var isForced: Bool
    /// INSTREAM-ID of captions: `CC1` to `CC4`, or `SERVICE1` to `SERVICE63`.
    package var captionService: String?
    package var characteristics: [String]
    /// As written, such as `6` or `16/JOC`.
    package var channels: String?
    package var bitDepth: Int64?
    package var sampleRate: Int64?
}

/// EXT-X-SESSION-DATA (RFC 8216 §4.3.4.4).
package struct HLSSessionData: Hashable, Sendable {
    package var id: String
    package var value: String?
    package var url: String?
    package var language: String?
}

/// EXT-X-CONTENT-STEERING.
package struct HLSContentSteering: Hashable, Sendable {
    package var url: String
    package var pathway: String?
}
