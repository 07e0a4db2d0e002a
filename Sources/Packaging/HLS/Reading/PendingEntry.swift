// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// State that the tags since the last entry of a media playlist set for the next one.
struct PendingEntry {
    /// The line of its EXTINF. `nil` if there was none.
    var durationLine: Int?
    /// `nil` if EXTINF has no usable duration.
    var duration: MediaTime?
    var isDurationRounded = true
    var title = ""
    var range: (length: Int64, offset: Int64?)?
    var rangeLine = 0
    /// The number of EXT-X-DISCONTINUITY tags.
    var discontinuities: Int64 = 0
    var isGap = false
    var date: WallTime?
    var parts: [HLSPart] = []
    var partRanges = RangeCursor()
    var marks: [HLSAdMark] = []
}

/// Resolves byte ranges without an offset, which follow the previous range (RFC 8216 §4.3.2.2).
struct RangeCursor {
    private var last: (url: String, end: Int64)?

    init() {}

    /// Continues after an entry of an earlier playlist.
    init(after segment: HLSSegment) { last = segment.byteRange.map { (segment.url, $0.end) } }

    /// - Parameter range: `nil` for the whole resource.
    mutating func take(
        _ range: (length: Int64, offset: Int64?)?,
        of url: String,
        line: Int,
        tag: String
    ) throws(HLSPlaylistError) -> HLSByteRange? {
        guard let range else {
            last = nil
            return nil
        }
        guard let offset = range.offset ?? last.flatMap({ $0.url == url ? $0.end : nil }) else {
            throw HLSPlaylistError(.noOffset, line: line, tag: tag, found: "\(range.length)")
        }
        let (end, hasOverflown) = offset.addingReportingOverflow(range.length)
        guard !hasOverflown else {
            throw HLSPlaylistError(.malformed(attribute: ""), line: line, tag: tag, found: "\(range.length)@\(offset)")
        }
        last = (url, end)
        return HLSByteRange(offset: offset, length: range.length)
    }
}

/// Derives the dates of entries that declare none (RFC 8216 §6.3.3).
enum HLSDates {
    /// Counts from the nearest declared date before each entry, or back from the first declared date if there is none
    /// before it.
    ///
    /// - Parameter notice: called at most once, if a declared date is more than a second before the end of the previous
    ///   entry.
    static func complete(_ segments: inout [HLSSegment], notice: () -> Void) {
        var date: WallTime?
        var runsBackward = false
        for index in segments.indices {
            if segments[index].isDateDeclared, let declared = segments[index].date {
                runsBackward = runsBackward || date.map { declared + .seconds(1) < $0 } ?? false
                date = declared
            } else {
                segments[index].date = date
            }
            date = date.map { $0 + segments[index].duration }
        }
        if runsBackward { notice() }
        guard let first = segments.firstIndex(where: { $0.isDateDeclared }), var date = segments[first].date else {
            return
        }
        for index in segments[..<first].indices.reversed() {
            date = date + (.zero - segments[index].duration)
            segments[index].date = date
        }
    }
}
