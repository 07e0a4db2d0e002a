// SPDX-License-Identifier: Apache-2.0

import Testing
import Validation

@Suite("Checking delta updates of playlists")
struct DeltaUpdateValidationTests {
    private static let head = """
        #EXTM3U
        #EXT-X-VERSION:9
        #EXT-X-TARGETDURATION:1
        #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=6.000,PART-HOLD-BACK=1.5
        """

    /// Segments of one second. Segment 12 follows a discontinuity and has another init segment.
    private static func segments(_ range: Range<Int>) -> String {
        range.map { number in
            let change = number == 12 ? "#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"second.mp4\"\n" : ""
            return "\(change)#EXTINF:1.000,\n\(number).m4s\n"
        }.joined()
    }

    private static let whole =
        "\(head)\n#EXT-X-MEDIA-SEQUENCE:10\n#EXT-X-MAP:URI=\"first.mp4\"\n\(segments(10..<20))"
    /// A segment has left the window meanwhile, and another has been added.
    private static let update =
        "\(head)\n#EXT-X-MEDIA-SEQUENCE:11\n#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n\(segments(15..<21))"

    private static func parse(_ text: String, updating base: ParsedPlaylist? = nil) -> ParsedPlaylist {
        PlaylistParser.parse(Array(text.utf8), uri: "p", updating: base)
    }

    private func problems(_ update: String, of whole: String = Self.whole) -> [String] {
        let whole = Self.parse(whole)
        return PlaylistRules.problems(ofUpdate: Self.parse(update, updating: whole), of: whole)
            .map { "\($0.rule) \($0.message)" }
    }

    @Test("A valid update has no problems, and has the skipped segments with their init segments")
    func valid() {
        #expect(PlaylistRules.problems(of: Self.parse(Self.whole)).isEmpty)
        #expect(problems(Self.update).isEmpty)
        let merged = Self.parse(Self.update, updating: Self.parse(Self.whole))
        #expect(merged.segments.map(\.uri) == (11..<21).map { "\($0).m4s" })
        let maps = merged.segments.map { segment in segment.map.map { merged.maps[$0].uri } }
        #expect(maps == ["first.mp4"] + Array(repeating: "second.mp4", count: 9))
        #expect(merged.segments.map(\.isDiscontinuous) == [false, true] + Array(repeating: false, count: 8))
    }

    @Test(
        "The init segment of the last skipped segment may be repeated, and a server may answer with the whole playlist"
    )
    func permitted() {
        let repeated = Self.update.replacing("=4\n", with: "=4\n#EXT-X-MAP:URI=\"second.mp4\"\n")
        #expect(problems(repeated).isEmpty)
        #expect(problems(Self.whole).isEmpty)
        #expect(problems(Self.update.replacing("VERSION:9", with: "VERSION:10")).isEmpty)
    }

    @Test(
        "Each violated rule is named",
        arguments: [
            ("VERSION:9", "VERSION:8", "require 9"),
            ("SKIPPED-SEGMENTS=4", "SKIPPED-SEGMENTS=x", "no valid SKIPPED-SEGMENTS"),
            ("SKIPPED-SEGMENTS=4", "SKIPPED-SEGMENTS=-1", "no valid SKIPPED-SEGMENTS"),
            ("SKIPPED-SEGMENTS=4", "RECENTLY-REMOVED-DATERANGES=\"x\"", "no valid SKIPPED-SEGMENTS"),
            ("#EXT-X-SKIP:", "#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n#EXT-X-SKIP:", "appears twice"),
            ("SKIPPED-SEGMENTS=4", "SKIPPED-SEGMENTS=10", "not all are known"),
            ("SKIPPED-SEGMENTS=4", "SKIPPED-SEGMENTS=9223372036854775807", "not all are known"),
            ("SEQUENCE:11", "SEQUENCE:9", "not all are known"),
            ("SEQUENCE:11", "SEQUENCE:9223372036854775807", "not all are known"),
            ("SEQUENCE:11", "SEQUENCE:9", "is lower"),
            ("SKIPPED-SEGMENTS=4", "SKIPPED-SEGMENTS=3", "segment 14 differs"),
            ("SEQUENCE:11", "SEQUENCE:12", "segment 16 differs"),
            ("16.m4s", "x.m4s", "segment 16 differs"),
            ("#EXTINF:1.000,\n16", "#EXTINF:1.001,\n16", "segment 16 differs"),
            ("#EXTINF:1.000,\n16", "#EXT-X-DISCONTINUITY\n#EXTINF:1.000,\n16", "segment 16 differs"),
            ("#EXTINF:1.000,\n16", "#EXT-X-MAP:URI=\"third.mp4\"\n#EXTINF:1.000,\n16", "segment 16 differs"),
            ("#EXTINF:1.000,\n15.m4s\n", "#EXT-X-SKIP:SKIPPED-SEGMENTS=5\n", "appears twice"),
            ("SKIPPED-SEGMENTS=4\n#EXTINF:1.000,\n15.m4s\n", "SKIPPED-SEGMENTS=5\n", "only the last 5.0 s"),
            ("TARGETDURATION:1", "TARGETDURATION:2", "TARGETDURATION differs"),
            ("CAN-SKIP-UNTIL=6.000", "CAN-SKIP-UNTIL=7.000", "CAN-SKIP-UNTIL differs"),
            ("CAN-SKIP-UNTIL=6.000", "CAN-SKIP-UNTIL=5.999", "less than six times"),
            ("CAN-SKIP-UNTIL=6.000", "CAN-SKIP-UNTIL=x", "not a number"),
            ("#EXT-X-MEDIA-SEQUENCE", "#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-MEDIA-SEQUENCE", "PLAYLIST-TYPE differs"),
        ]
    )
    func broken(old: String, new: String, message: String) {
        let found = problems(Self.update.replacing(old, with: new))
        #expect(found.contains { $0.contains(message) }, "\(found)")
    }

    @Test("A skip after a segment is a problem, and so is one that was not requested")
    func misplaced() {
        let late =
            Self.update.replacing("#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n", with: "")
            + "#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n"
        #expect(problems(late).contains { $0.contains("after a segment") })
        let found = PlaylistRules.problems(of: Self.parse(Self.update)).map(\.message)
        #expect(found.contains { $0.contains("no delta update was requested") }, "\(found)")
    }

    @Test("A byte range without an offset continues that of the last skipped segment")
    func byteRanges() {
        let ranges = { (numbers: Range<Int>) in
            numbers.map { "#EXT-X-BYTERANGE:100\($0 == 0 ? "@0" : "")\n#EXTINF:1.000,\nall.m4s\n" }.joined()
        }
        let whole = "\(Self.head)\n#EXT-X-MAP:URI=\"first.mp4\"\n\(ranges(0..<8))"
        let update = "\(Self.head)\n#EXT-X-SKIP:SKIPPED-SEGMENTS=2\n\(ranges(2..<8))"
        #expect(problems(update, of: whole).isEmpty)
    }

    @Test("No truncation of an update stops the parser or the rules")
    func truncations() {
        let (bytes, whole) = (Array(Self.update.utf8), Self.parse(Self.whole))
        for count in 0..<bytes.count {
            let update = PlaylistParser.parse(Array(bytes[..<count]), uri: "p", updating: whole)
            _ = PlaylistRules.problems(ofUpdate: update, of: whole)
        }
    }
}
