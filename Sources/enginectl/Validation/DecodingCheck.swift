// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Validation

/// Judges the decoder's reports on the segments of one playlist. Pure.
///
/// A segment must decode by itself, as after a seek. If the playlists do not promise that (no
/// EXT-X-INDEPENDENT-SEGMENTS), a segment may yield no frame by itself, for example because the video is refreshed
/// gradually; it must then decode after the segment before it.
struct DecodingCheck {
    private let isIndependent: Bool

    init(isIndependent: Bool) { self.isIndependent = isIndependent }

    /// Whether a segment that was decoded by itself has to be decoded once more, after the segment before it.
    func needsEarlierSegment(_ report: SegmentReport) -> Bool {
        !isIndependent && report.tracks.contains { $0.packets > 0 && $0.decodedFrames == 0 }
    }

    /// The report on a segment that was decoded after another one, without that other segment's share.
    ///
    /// - Parameters:
    ///   - alone: the report on the segment by itself.
    ///   - joined: the report on both segments together.
    ///   - before: the report on the earlier segment by itself.
    static func added(by alone: SegmentReport, in joined: SegmentReport, after before: SegmentReport) -> SegmentReport {
        var report = joined
        for place in report.tracks.indices where alone.tracks.indices.contains(place) {
            let earlier = before.tracks.indices.contains(place) ? before.tracks[place] : SegmentReport.Track()
            report.tracks[place].packets = alone.tracks[place].packets
            report.tracks[place].startsWithKeyframe = alone.tracks[place].startsWithKeyframe
            report.tracks[place].decodedFrames = max(0, joined.tracks[place].decodedFrames - earlier.decodedFrames)
            report.tracks[place].decodeErrors = max(0, joined.tracks[place].decodeErrors - earlier.decodeErrors)
        }
        report.problems = joined.problems.filter { !before.problems.contains($0) }
        return report
    }

    func problems(of report: SegmentReport, _ uri: String) -> [ValidationProblem] {
        var found = report.problems
        // A track may have no packets in a segment, e.g. if the audio starts late or has a gap.
        for track in report.tracks where track.packets > 0 {
            if !track.startsWithKeyframe { found.append("it does not begin with a random access point") }
            if track.decodeErrors > 0 { found.append(Words.count(track.decodeErrors, "decode error")) }
            if track.decodedFrames == 0 { found.append("no frame of \(track.codec) could be decoded") }
        }
        if report.tracks.isEmpty { found.append("there is no track to decode") }
        return found.map { ValidationProblem("decoding", uri, $0) }
    }
}
