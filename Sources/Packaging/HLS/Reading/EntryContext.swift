// SPDX-License-Identifier: Apache-2.0

/// State that the tags of a media playlist set for all following entries.
struct EntryContext {
    /// At most one per key format.
    private(set) var keys: [HLSKey] = []
    private(set) var map: HLSMap?
    var bitrate: Int64?
    var ranges = RangeCursor()
    /// The number of EXT-X-DISCONTINUITY tags so far, without those of entries that a delta update skips.
    var discontinuities: Int64 = 0

    init() {}

    /// The state after `segment`, an entry of an earlier playlist.
    init(after segment: HLSSegment) {
        keys = segment.keys
        map = segment.map
        bitrate = segment.bitrate
        ranges = RangeCursor(after: segment)
    }

    /// EXT-X-KEY (RFC 8216 §4.3.2.4).
    mutating func readKey(
        _ value: ArraySlice<UInt8>,
        _ line: Int,
        _ reading: inout HLSReading
    ) throws(HLSPlaylistError) {
        let tag = "EXT-X-KEY"
        guard let key = try HLSKey(value, tag: tag, line: line, reading: &reading) else {
            keys = []
            return
        }
        if let known = keys.firstIndex(where: { $0.format == key.format }) {
            keys[known] = key
        } else {
            guard keys.count < HLSLimits.attributes else {
                throw HLSPlaylistError(.tooManyEntries, line: line, tag: tag)
            }
            keys.append(key)
        }
    }

    /// EXT-X-MAP (§4.3.2.5).
    mutating func readMap(
        _ value: ArraySlice<UInt8>,
        _ line: Int,
        _ reading: inout HLSReading
    ) throws(HLSPlaylistError) {
        let attributes = try HLSAttributes(value, tag: "EXT-X-MAP", line: line, reading: &reading)
        guard let url = try attributes.url("URI", &reading) else { throw attributes.missing("URI") }
        guard !attributes.isDoubtful else { throw attributes.malformed("URI") }
        var range: HLSByteRange?
        if let text = attributes.string("BYTERANGE", &reading) {
            guard let (length, offset) = HLSSyntax.byteRange(text) else { throw attributes.malformed("BYTERANGE") }
            // Without an offset, the range starts at byte 0.
            range = HLSByteRange(offset: offset ?? 0, length: length)
        }
        map = HLSMap(url: url, byteRange: range, keys: keys)
    }
}
