// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The tags that a media playlist has in low-latency mode (draft-pantos-hls-rfc8216bis §4.4.3.7, §4.4.3.8, §4.4.4.9,
/// §4.4.5.3, §4.4.5.4), except EXT-X-SKIP.
package struct PlaylistParts: Hashable, Sendable {
    /// Another rendition of the same presentation (§4.4.5.4).
    package struct Report: Hashable, Sendable {
        package var uri: String
        /// The segment of the last part.
        package var lastSegment: Int
        package var lastPart: Int

        package init(uri: String, lastSegment: Int, lastPart: Int) {
            self.uri = uri
            self.lastSegment = lastSegment
            self.lastPart = lastPart
        }
    }

    package let target: MediaTime
    /// By segment number: the start of each part, followed by the end of the last part. The segment after the last
    /// listed one is included, with the parts that are known.
    package var boundaries: [Int: [MediaTime]] = [:]
    package var reports: [Report] = []
    /// Whether every part can be decoded by itself, as those of audio can. Otherwise only the first parts of
    /// independent segments are known to contain an independent frame.
    package var areIndependent = false
    /// PART-HOLD-BACK: at least three part targets, the least that §4.4.3.8 recommends.
    package var requiredHoldBack: MediaTime

    /// The distance that players keep from the end of the playlist: three part targets, the least that §4.4.3.8
    /// recommends.
    package static let holdBack = MediaTime(microseconds: 3 * PartGrid.target.microseconds)

    /// - Parameter holdBack: the least PART-HOLD-BACK.
    package init(target: MediaTime, holdBack: MediaTime = .zero) {
        self.target = target
        requiredHoldBack = max(holdBack, MediaTime(microseconds: 3 * target.microseconds))
    }

    /// Delta updates skip the segments that are farther than this from the end of the playlist: six target durations,
    /// the least that §4.4.3.8 allows.
    static func skipBoundary(targetDuration: Int) -> MediaTime { .seconds(6 * Double(targetDuration)) }

    /// EXT-X-SERVER-CONTROL and EXT-X-PART-INF.
    func writeHeader(targetDuration: Int, to text: inout TextWriter) {
        text.append("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=")
        text.seconds(microseconds: Self.skipBoundary(targetDuration: targetDuration).microseconds)
        text.append(",PART-HOLD-BACK=")
        text.seconds(microseconds: requiredHoldBack.microseconds)
        text.newline()
        text.append("#EXT-X-PART-INF:PART-TARGET=")
        text.seconds(microseconds: target.microseconds)
        text.newline()
    }

    /// EXT-X-PART for each part of a segment.
    ///
    /// - Parameter isIndependent: whether the segment begins with a random access point.
    func write(segment: Int, isIndependent: Bool, prefix: String, to text: inout TextWriter) {
        guard let boundaries = boundaries[segment] else { return }
        for part in boundaries.indices.dropLast() {
            text.append("#EXT-X-PART:DURATION=")
            text.seconds(microseconds: (boundaries[part + 1] - boundaries[part]).microseconds)
            text.append(",URI=\"\(Self.uri(prefix: prefix, segment: segment, part: part))\"")
            if areIndependent || part == 0 && isIndependent { text.append(",INDEPENDENT=YES") }
            text.newline()
        }
    }

    /// EXT-X-PRELOAD-HINT for the part that will be complete next, and the rendition reports.
    ///
    /// - Parameter nextSegment: the number of the segment after the last listed one.
    func writeEnd(nextSegment: Int, prefix: String, to text: inout TextWriter) {
        let part = max(0, (boundaries[nextSegment]?.count ?? 0) - 1)
        text.line("#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(Self.uri(prefix: prefix, segment: nextSegment, part: part))\"")
        for report in reports {
            text.append("#EXT-X-RENDITION-REPORT:URI=\"\(AttributeText.quotable(report.uri))\"")
            text.line(",LAST-MSN=\(report.lastSegment),LAST-PART=\(report.lastPart)")
        }
    }

    /// `17.3.m4s` is part 3 of segment 17.
    private static func uri(prefix: String, segment: Int, part: Int) -> String {
        "\(AttributeText.quotable(prefix))\(segment).\(part).m4s"
    }
}
