// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A media playlist at one moment (RFC 8216 §4.3.3). All URLs are resolved.
package struct HLSMediaPlaylist: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case vod = "VOD"
        case event = "EVENT"
    }

    package var url: String
    package var version: Int?
    /// EXT-X-PLAYLIST-TYPE. `nil` if it is missing: until such a playlist ends, its window may move.
    package var kind: Kind?
    /// EXT-X-TARGETDURATION, or the longest entry if the tag is missing. Never 0.
    package var targetDuration = MediaTime.zero
    /// The target duration of partial segments.
    package var partTarget: MediaTime?
    /// The media sequence number of the first entry.
    package var mediaSequence: Int64 = 0
    package var discontinuitySequence: Int64 = 0
    /// EXT-X-ENDLIST: no entries will be added.
    package var hasEnded = false
    package var isKeyframesOnly = false
    package var isIndependent = false
    package var start: HLSStart?
    package var control = HLSServerControl()
    /// Complete media segments, including those that a delta update skips.
    package var segments: [HLSSegment] = []
    /// The partial segments of the media segment that is not complete yet.
    package var parts: [HLSPart] = []
    /// Whether EXT-X-DISCONTINUITY precedes the media segment that is not complete yet.
    package var isOpenDiscontinuous = false
    /// Whether EXT-X-GAP precedes the media segment that is not complete yet.
    package var isOpenGap = false
    package var preloadHints: [HLSPreloadHint] = []
    package var reports: [HLSRenditionReport] = []
    package var dateRanges: [HLSDateRange] = []
    /// The skipped part of a delta update. `nil` if the playlist is complete.
    package var skip: HLSSkip?
    package var notices = HLSNotices()

    init(url: String) { self.url = url }

    /// Whether the playlist must be reloaded.
    package var isLive: Bool { !hasEnded && kind != .vod }

    /// The sum of the durations of its entries.
    package var duration: MediaTime { segments.reduce(.zero) { $0 + $1.duration } }

    /// The sum of the durations of the listed parts of the segment that is not complete yet.
    package var partDuration: MediaTime { parts.reduce(.zero) { $0 + $1.duration } }

    /// Whether it lists everything that another playlist reports about it.
    package func lists(_ report: HLSRenditionReport) -> Bool {
        guard let sequence = report.lastSequence, sequence >= nextSequence else { return true }
        return sequence == nextSequence && (report.lastPart.map { $0 < Int64(parts.count) } ?? false)
    }

    /// The media sequence number after the last entry's.
    package var nextSequence: Int64 { segments.last.map { $0.sequence + 1 } ?? mediaSequence }
}

/// One entry of a media playlist (RFC 8216 §4.3.2).
package struct HLSSegment: Hashable, Sendable {
    /// Its media sequence number.
    package var sequence: Int64
    /// Its discontinuity sequence number.
    package var discontinuity: Int64
    package var url: String
    package var byteRange: HLSByteRange?
    /// As declared by EXTINF; the duration of the media may differ.
    package var duration: MediaTime
    /// Whether EXTINF states no fraction of a second.
    package var isDurationRounded: Bool
    package var title: String
    /// EXT-X-DISCONTINUITY precedes the entry.
    package var isDiscontinuous: Bool
    /// EXT-X-GAP: the media is missing and must not be requested.
    package var isGap: Bool
    /// The keys that apply to the entry, at most one per key format. Empty if it is not encrypted.
    package var keys: [HLSKey]
    package var map: HLSMap?
    /// The start of the entry: declared by EXT-X-PROGRAM-DATE-TIME, or derived from the nearest declared date.
    package var date: WallTime?
    package var isDateDeclared: Bool
    /// From EXT-X-BITRATE, in kilobits per second.
    package var bitrate: Int64?
    package var parts: [HLSPart]
    /// The ad break marks that precede the entry, in order.
    package var marks: [HLSAdMark]
}

/// EXT-X-PART: a partial segment.
package struct HLSPart: Hashable, Sendable {
    package var url: String
    package var byteRange: HLSByteRange?
    package var duration: MediaTime
    package var isIndependent: Bool
    package var isGap: Bool
    package var keys: [HLSKey]
    package var map: HLSMap?
}

/// EXT-X-PRELOAD-HINT: a resource that will exist soon.
package struct HLSPreloadHint: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case part = "PART"
        case map = "MAP"
    }

    package var kind: Kind
    package var url: String
    package var offset: Int64
    /// `nil`: to the end of the resource.
    package var length: Int64?
}

/// EXT-X-RENDITION-REPORT: the last segment and part of another rendition.
package struct HLSRenditionReport: Hashable, Sendable {
    package var url: String
    package var lastSequence: Int64?
    package var lastPart: Int64?
}

/// EXT-X-SERVER-CONTROL.
package struct HLSServerControl: Hashable, Sendable {
    /// CAN-BLOCK-RELOAD.
    package var canBlock = false
    /// CAN-SKIP-UNTIL: delta updates may skip entries that are farther than this from the end.
    package var skipBoundary: MediaTime?
    package var canSkipDateRanges = false
    package var holdBack: MediaTime?
    package var partHoldBack: MediaTime?
}

/// EXT-X-SKIP: the entries and date ranges that a delta update omits.
package struct HLSSkip: Hashable, Sendable {
    /// The number of skipped entries at the start of the playlist.
    package var segments: Int
    /// The IDs of date ranges that were removed.
    package var removedDateRanges: [String]
}
