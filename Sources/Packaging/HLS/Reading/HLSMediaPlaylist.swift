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
    /// `nil`: a live playlist whose window may move.
    package var kind: Kind?
    /// EXT-X-TARGETDURATION, or the longest entry where it is missing. Never 0.
    package var targetDuration = MediaTime.zero
    /// The target duration of partial segments.
    package var partTarget: MediaTime?
    /// The number of the first entry.
    package var mediaSequence: Int64 = 0
    package var discontinuitySequence: Int64 = 0
    /// EXT-X-ENDLIST: nothing will be added.
    package var hasEnded = false
    package var isKeyframesOnly = false
    package var isIndependent = false
    package var start: HLSStart?
    package var control = HLSServerControl()
    /// Complete media segments, with those that a delta update leaves out.
    package var segments: [HLSSegment] = []
    /// The partial segments of the media segment that is not complete yet.
    package var parts: [HLSPart] = []
    package var preloadHints: [HLSPreloadHint] = []
    package var reports: [HLSRenditionReport] = []
    package var dateRanges: [HLSDateRange] = []
    /// What the delta update left out. `nil`: the playlist came as a whole.
    package var skip: HLSSkip?
    package var notices = HLSNotices()

    init(url: String) { self.url = url }

    /// Whether it must be loaded again.
    package var isLive: Bool { !hasEnded && kind != .vod }

    /// The sum of the durations of its entries.
    package var duration: MediaTime { segments.reduce(.zero) { $0 + $1.duration } }

    /// The number of the entry after the last one.
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
    /// From EXTINF: what the server says, not what the media has.
    package var duration: MediaTime
    package var title: String
    /// EXT-X-DISCONTINUITY stands before it.
    package var isDiscontinuous: Bool
    /// EXT-X-GAP: its media is missing, and not to be requested.
    package var isGap: Bool
    /// Those that apply to it, one of each key format. Empty: it is not encrypted.
    package var keys: [HLSKey]
    package var map: HLSMap?
    /// When it begins: declared by EXT-X-PROGRAM-DATE-TIME, or counted from the nearest declared one.
    package var date: WallTime?
    package var isDateDeclared: Bool
    /// From EXT-X-BITRATE, in kilobits per second.
    package var bitrate: Int64?
    package var parts: [HLSPart]
    /// Marks of ad breaks that stand before it, in order.
    package var marks: [HLSAdMark]
}

/// EXT-X-PART: a part of a media segment.
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

/// EXT-X-RENDITION-REPORT: how far another rendition is.
package struct HLSRenditionReport: Hashable, Sendable {
    package var url: String
    package var lastSequence: Int64?
    package var lastPart: Int64?
}

/// EXT-X-SERVER-CONTROL.
package struct HLSServerControl: Hashable, Sendable {
    /// CAN-BLOCK-RELOAD.
    package var canBlock = false
    /// CAN-SKIP-UNTIL: older entries than that, counted from the end, may be left out of delta updates.
    package var skipBoundary: MediaTime?
    package var canSkipDateRanges = false
    package var holdBack: MediaTime?
    package var partHoldBack: MediaTime?
}

/// EXT-X-SKIP: what a delta update leaves out.
package struct HLSSkip: Hashable, Sendable {
    /// The number of entries, from the beginning of the playlist.
    package var segments: Int
    /// Of date ranges that exist no more.
    package var removedDateRanges: [String]
}
