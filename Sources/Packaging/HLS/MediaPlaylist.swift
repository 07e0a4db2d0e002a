// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// A media playlist (RFC 8216 §4.3.3) of fMP4 segments, of I-frames only, or of WebVTT segments.
///
/// Durations are the differences of the given boundaries, in microseconds, so their sum never drifts from the timeline.
package struct MediaPlaylist: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Complete: it never changes.
        case vod
        /// Grows at its end until it has ended. Announced segments never change.
        case event(hasEnded: Bool)
        /// Loses segments at its start while it grows at its end. Those that stay never change.
        case window(hasEnded: Bool)

        fileprivate var line: String? {
            switch self {
            case .vod: "#EXT-X-PLAYLIST-TYPE:VOD"
            case .event: "#EXT-X-PLAYLIST-TYPE:EVENT"
            case .window: nil
            }
        }

        fileprivate var isComplete: Bool {
            switch self {
            case .vod: true
            case .event(let hasEnded), .window(let hasEnded): hasEnded
            }
        }
    }

    /// A discontinuity (§4.3.2.3), with the init segment that applies from there on.
    package struct Discontinuity: Hashable, Sendable {
        package var segment: Int
        package var initURI: String?

        package init(segment: Int, initURI: String?) {
            self.segment = segment
            self.initURI = initURI
        }
    }

    package var kind: Kind
    /// The start of each segment, followed by the end of the last: one more than there are segments. Ascending.
    package var boundaries: [MediaTime]
    /// Whole seconds, fixed for the lifetime of the playlist. `nil`: computed from the segments, which suits `vod`.
    package var targetDuration: Int?
    /// `nil` for segments that need none, such as WebVTT.
    package var initURI: String? = "init.mp4"
    /// Each segment is one I-frame (§4.3.3.6), whose duration extends to the next.
    package var isKeyframesOnly = false
    /// Ascending. Discontinuities after the last segment are not written.
    package var discontinuities: [Discontinuity] = []
    /// The URI of segment k is the prefix, k and the suffix.
    package var segmentPrefix = ""
    package var segmentSuffix = ".m4s"
    /// The time at which each segment was recorded (§4.3.2.6); `nil` if unknown. Empty if all are unknown.
    package var dates: [WallTime?] = []
    /// The number of the first segment that is listed.
    private var firstSegment = 0
    /// The number of discontinuities up to the start of that segment (§4.3.3.3).
    private var discontinuitySequence = 0

    /// The position where players start in an `event` playlist that has not ended, as in the master playlist (§4.3.5).
    /// If it is beyond the last listed segment, they start at the end of that segment (§4.3.5.2).
    package var startOffset = MediaTime.zero

    /// Whether each segment decodes completely without those before it (§4.3.5.1).
    package var isIndependent = true

    /// Adds the parts of the newest segments, for low latency. Ignored if the playlist is complete.
    package var parts: PlaylistParts?

    package init(kind: Kind, boundaries: [MediaTime]) {
        self.kind = kind
        self.boundaries = boundaries
    }

    /// Moves every segment along the timeline. The first segment still begins at 0: a positive delay leaves its start
    /// empty, and a negative one cuts its start off. Segments that would end at or before 0 are left out.
    package mutating func move(by delay: MediaTime) {
        let moved = boundaries.map { $0 + delay }
        guard let last = moved.last, moved.count > 1 else { return }
        let first = moved.dropFirst().firstIndex { $0 > .zero }.map { $0 - 1 } ?? moved.count - 2
        // If the rendition ends before the timeline begins, its last segment is listed with a minimal duration and
        // presents nothing.
        boundaries = [.zero] + (last > .zero ? Array(moved[(first + 1)...]) : [MediaTime(microseconds: 1000)])
        targetDuration = targetDuration.map { max($0, Self.targetDuration(for: boundaries)) }
        discontinuitySequence = discontinuities.count { $0.segment <= first }
        discontinuities.removeAll { $0.segment <= first }
        firstSegment = first
    }

    /// Leaves out the segments before `first`.
    package mutating func slide(to first: Int) {
        guard first > 0, first < boundaries.count else { return }
        boundaries.removeFirst(first)
        dates.removeFirst(min(first, dates.count))
        firstSegment += first
        // A discontinuity before the first remaining segment counts as passed, because the segment before it is no
        // longer listed.
        let passed = discontinuities.prefix { $0.segment <= firstSegment }
        discontinuitySequence += passed.count
        if let uri = passed.last?.initURI { initURI = uri }
        discontinuities.removeFirst(passed.count)
    }

    package static let contentType = "application/vnd.apple.mpegurl"

    /// The smallest TARGETDURATION that the segments between `boundaries` allow (§4.3.3.1): no duration, rounded to the
    /// nearest second, may exceed it.
    package static func targetDuration(for boundaries: [MediaTime]) -> Int {
        var longest: Int64 = 0
        for index in boundaries.indices.dropFirst() {
            longest = max(longest, (boundaries[index] - boundaries[index - 1]).microseconds)
        }
        return max(1, Int((longest &+ 500_000) / 1_000_000))
    }

    /// The playlist with all its segments.
    package var bytes: [UInt8] { bytes(skipping: 0) }

    /// The delta update for clients that already have an earlier version (draft-pantos-hls-rfc8216bis §6.2.5.1). The
    /// same as `bytes` if no segment may be skipped.
    package var deltaUpdate: [UInt8] { bytes(skipping: skippableSegments) }

    /// The number of segments that a delta update leaves out: those that end before the skip boundary.
    private var skippableSegments: Int {
        guard parts != nil, !isComplete, let end = boundaries.last else { return 0 }
        let limit = end - PlaylistParts.skipBoundary(targetDuration: announcedTargetDuration)
        return boundaries.dropFirst().prefix { $0 <= limit }.count
    }

    private var isComplete: Bool { kind.isComplete }

    private var announcedTargetDuration: Int { targetDuration ?? Self.targetDuration(for: boundaries) }

    /// - Parameter skipped: the number of segments at the start that EXT-X-SKIP replaces, of those that are listed.
    private func bytes(skipping skipped: Int) -> [UInt8] {
        let segmentCount = max(0, boundaries.count - 1)
        let lineLength = 32 + segmentPrefix.utf8.count + segmentSuffix.utf8.count
        var text = TextWriter(capacity: 256 + (segmentCount - skipped) * lineLength)
        text.line("#EXTM3U")
        // Players that do not ask for delta updates need not know version 9, the first with EXT-X-SKIP (§8).
        text.line("#EXT-X-VERSION:\(skipped > 0 ? 9 : 7)")
        text.line("#EXT-X-TARGETDURATION:\(announcedTargetDuration)")
        let parts = isComplete ? nil : self.parts
        parts?.writeHeader(targetDuration: announcedTargetDuration, to: &text)
        text.line("#EXT-X-MEDIA-SEQUENCE:\(kind.line == nil ? firstSegment : 0)")
        if discontinuitySequence > 0 { text.line("#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)") }
        if let line = kind.line { text.line(line) }
        if isKeyframesOnly { text.line("#EXT-X-I-FRAMES-ONLY") }
        if isIndependent, initURI != nil { text.line("#EXT-X-INDEPENDENT-SEGMENTS") }
        // Players treat a playlist without an end as live and would start near its end (§4.3.5.2, §6.3.3).
        if kind == .event(hasEnded: false) {
            text.append("#EXT-X-START:TIME-OFFSET=")
            if startOffset > .zero { text.seconds(microseconds: startOffset.microseconds) } else { text.append("0") }
            text.line(",PRECISE=YES")
        }
        if skipped > 0 { text.line("#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)") }
        let passed = discontinuities.prefix { $0.segment < firstSegment + skipped }
        // A delta update repeats the init segment of the last skipped segment.
        if let uri = passed.last?.initURI ?? initURI { text.line(Self.mapLine(uri)) }
        let prefix = Array(segmentPrefix.utf8)
        let suffix = Array(segmentSuffix.utf8)
        var upcoming = discontinuities.dropFirst(passed.count)
        for index in skipped..<segmentCount {
            if let next = upcoming.first, next.segment == firstSegment + index {
                upcoming.removeFirst()
                text.line("#EXT-X-DISCONTINUITY")
                if let initURI = next.initURI { text.line(Self.mapLine(initURI)) }
            }
            if index < dates.count, let date = dates[index] { text.line("#EXT-X-PROGRAM-DATE-TIME:\(date.text)") }
            parts?.write(
                segment: firstSegment + index,
                isIndependent: isIndependent,
                prefix: segmentPrefix,
                to: &text
            )
            text.append("#EXTINF:")
            text.seconds(microseconds: (boundaries[index + 1] - boundaries[index]).microseconds)
            text.append(",\n")
            text.append(prefix)
            text.decimal(UInt64(firstSegment + index))
            text.append(suffix)
            text.newline()
        }
        if let parts {
            let open = firstSegment + segmentCount
            parts.write(segment: open, isIndependent: isIndependent, prefix: segmentPrefix, to: &text)
            parts.writeEnd(nextSegment: open, prefix: segmentPrefix, to: &text)
        }
        if isComplete { text.line("#EXT-X-ENDLIST") }
        return text.bytes
    }

    private static func mapLine(_ uri: String) -> String { "#EXT-X-MAP:URI=\"\(AttributeText.quotable(uri))\"" }
}
