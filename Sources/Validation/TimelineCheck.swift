// SPDX-License-Identifier: Apache-2.0

/// Follows one media playlist segment by segment and checks that the segments match what it announced.
package struct TimelineCheck: Sendable {
    /// How closely the durations of segments must match the announced ones.
    package enum Precision: Hashable, Sendable {
        /// Within a frame. Video may be shorter by up to eight frames, but no more than half a second.
        case exact
        /// Within half a second: for presentations whose durations and boundaries of muxed audio come from another
        /// packager.
        case rounded
    }

    /// In seconds.
    private static let roundedSlack = 0.5

    private let playlist: String
    private var expected: [UInt32: UInt64] = [:]
    private var first: (track: UInt32, time: Double, announced: Double)?
    private var announced = 0.0
    /// Whether any segment so far had samples that the edit list does not hide.
    private var hasBegun = false
    /// In seconds.
    private let targetDuration: Double
    private let precision: Precision
    /// The segments of the last one and a half target durations, for the peak bit rate.
    private var recent: [(duration: Double, byteCount: Int)] = []
    private var lastSequence: UInt32?
    /// The highest bit rate of consecutive segments whose total duration is between 0.5 and 1.5 target durations (RFC
    /// 8216 §4.3.4.2). 0 if there are none.
    package private(set) var peakBitRate = 0.0
    package private(set) var byteCount = 0
    package private(set) var problems: [ValidationProblem] = []

    /// - Parameter targetDuration: in seconds; 0 if the playlist states none.
    package init(playlist: String, targetDuration: Int, precision: Precision = .exact) {
        self.precision = precision
        self.playlist = playlist
        self.targetDuration = Double(targetDuration)
    }

    package mutating func add(
        _ segment: ParsedPlaylist.Segment,
        byteCount: Int,
        facts: [FragmentFacts],
        initFacts: InitFacts,
        isIndependent: Bool
    ) {
        self.byteCount += byteCount
        notePeak(segment.duration, byteCount)
        if segment.isDiscontinuous {
            expected = [:]
            first = nil
        }
        for fact in facts {
            guard let track = initFacts.tracks.first(where: { $0.id == fact.track }), track.timescale > 0 else {
                continue
            }
            check(fact, of: track, in: initFacts, segment, isIndependent: isIndependent)
        }
        if let sequence = facts.first?.sequenceNumbers.first {
            if let last = lastSequence, sequence <= last, !segment.isDiscontinuous {
                note("ISO/IEC 14496-12 §8.8.5", segment, "sequence number \(sequence) follows \(last)")
            }
            lastSequence = facts.first?.sequenceNumbers.last
        }
        announced += segment.duration
    }

    private mutating func notePeak(_ duration: Double, _ byteCount: Int) {
        recent.append((duration, byteCount))
        var (length, bytes, kept) = (0.0, 0, 0)
        for each in recent.reversed() where length + each.duration <= 1.5 * targetDuration + 0.001 {
            length += each.duration
            bytes += each.byteCount
            kept += 1
            if length >= 0.5 * targetDuration, length > 0 {
                peakBitRate = max(peakBitRate, Double(bytes) * 8 / length)
            }
        }
        recent.removeFirst(recent.count - kept)
    }

    private mutating func check(
        _ fact: FragmentFacts,
        of track: InitFacts.Track,
        in initFacts: InitFacts,
        _ segment: ParsedPlaylist.Segment,
        isIndependent: Bool
    ) {
        // A segment without samples is a gap in its track, so there are no times to check, and the next segment does not
        // continue the last one.
        guard fact.duration > 0 else {
            expected[fact.track] = nil
            return
        }
        let tick = 1 / Double(track.timescale)
        let longest = Double(fact.longestSample) * tick
        if !fact.beginsWithSync, isIndependent || track.handler == "soun" {
            note("RFC 8216 §4.3.5.1", segment, "it does not begin with a sync sample")
        }
        if let end = expected[fact.track] {
            let gap = Double(Int64(clamping: fact.decodeTime) - Int64(clamping: end)) * tick
            if abs(gap) > max(longest / 2, 0.001) {
                let side = gap > 0 ? "after" : "before"
                note("ISO/IEC 14496-12 §8.8.12", segment, "tfdt is \(abs(gap)) s \(side) the end of the last segment")
            }
        }
        expected[fact.track] = fact.decodeTime &+ fact.duration
        // Video determines the segment boundaries. Audio muxed with it overlaps a boundary by part of a frame.
        let decides = track.handler == "vide" || !initFacts.tracks.contains { $0.handler == "vide" }
        guard decides else { return }
        // An audio frame belongs to the segment in which it starts, so a segment may be one frame longer or shorter.
        // The first segment starts with the timeline, although its track may start a little later. Samples that the
        // edit list hides before that start do not count.
        //
        // EXTINF extends from one random access point to the next. Leading pictures of an open GOP are presented before
        // their random access point, so the samples of a segment start earlier by that amount, and those of the
        // previous one end earlier.
        let length = Double(fact.duration - fact.hidden) * tick
        let isFirst = !hasBegun
        // If the edit list hides the whole segment, the timeline has not begun yet.
        if length > 0 { hasBegun = true }
        let begin = Int64(clamping: fact.decodeTime) &+ fact.firstOffset
        let leading = Double(begin &- fact.earliest) * tick
        let time = Double(begin &- track.presentationStart) * tick
        let lead = isFirst ? max(0, Double(fact.earliest &- track.presentationStart) * tick - announced) : 0
        let rounding = precision == .rounded ? Self.roundedSlack : 0
        let missing = track.handler == "vide" ? max(longest, min(8 * longest, 0.5)) : longest
        let slack = (missing: max(missing, rounding) + 0.001, surplus: max(longest, rounding) + 0.001)
        if length > segment.duration + leading + slack.surplus || length + lead < segment.duration - slack.missing {
            note("RFC 8216 §4.3.2.1", segment, "EXTINF is \(segment.duration) s, the samples last \(length) s")
        }
        // The first segment is announced from 0, wherever its samples begin, so the start of later segments is compared
        // with that of the second one.
        guard !isFirst else { return }
        guard let first else {
            first = (fact.track, time, announced)
            return
        }
        let drift = (time - first.time) - (announced - first.announced)
        if fact.track == first.track, abs(drift) > max(longest, rounding) + 0.005 {
            note("RFC 8216 §4.3.2.1", segment, "it begins \(drift) s off the sum of the preceding EXTINF durations")
        }
    }

    private mutating func note(_ rule: String, _ segment: ParsedPlaylist.Segment, _ message: String) {
        problems.append(ValidationProblem(rule, segment.uri, message))
    }
}
