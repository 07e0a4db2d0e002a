// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing
import Validation

@testable import enginectl

@Suite("The verdict on decoded segments")
struct DecodingCheckTests {
    private func report(_ frames: Int, errors: Int = 0, isKey: Bool = true, packets: Int = 10) -> SegmentReport {
        var track = SegmentReport.Track()
        (track.codec, track.packets, track.decodedFrames) = ("h264", packets, frames)
        (track.decodeErrors, track.startsWithKeyframe) = (errors, isKey)
        var report = SegmentReport()
        report.tracks = [track]
        report.problems = (0..<errors).map { "h264: packet \($0)" }
        return report
    }

    @Test(
        "each segment must begin with a random access point, and decode to at least one frame without errors",
        arguments: [
            (10, 0, true, 10, []),
            (0, 0, true, 10, ["no frame of h264 could be decoded"]),
            (10, 0, false, 10, ["it does not begin with a random access point"]),
            (9, 1, true, 10, ["h264: packet 0", "1 decode error"]),
            // A gap in the track.
            (0, 0, false, 0, []),
        ]
    )
    func alone(frames: Int, errors: Int, isKey: Bool, packets: Int, expected: [String]) {
        let found = DecodingCheck(isIndependent: true)
            .problems(of: report(frames, errors: errors, isKey: isKey, packets: packets), "a")
        #expect(found.map(\.message) == expected)
        #expect(DecodingCheck(isIndependent: true).problems(of: SegmentReport(), "a").count == 1)
    }

    @Test("a segment may depend on the one before it only without EXT-X-INDEPENDENT-SEGMENTS")
    func earlierSegment() {
        #expect(!DecodingCheck(isIndependent: true).needsEarlierSegment(report(0)))
        #expect(DecodingCheck(isIndependent: false).needsEarlierSegment(report(0)))
        #expect(!DecodingCheck(isIndependent: false).needsEarlierSegment(report(1)))
        #expect(!DecodingCheck(isIndependent: false).needsEarlierSegment(report(0, packets: 0)))
    }

    @Test(
        "a dependent segment must yield frames when it is decoded after the one before it",
        arguments: [(30, true), (22, false)]
    )
    func joined(frames: Int, isShown: Bool) {
        let before = report(22, errors: 1)
        let added = DecodingCheck.added(by: report(0), in: report(frames, errors: 1, packets: 20), after: before)
        #expect(added.tracks.first?.decodedFrames == frames - 22 && added.tracks.first?.packets == 10)
        #expect(DecodingCheck(isIndependent: false).problems(of: added, "a").isEmpty == isShown)
    }
}
