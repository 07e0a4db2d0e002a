// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing
import Validation

@Suite("WebVTT segments", .timeLimit(.minutes(10)))
struct WebVTTSegmentTests {
    private let range = MediaTimeRange(start: .seconds(4), end: .seconds(8))

    private func cue(_ start: Double, _ end: Double?, _ text: String) -> Cue {
        let content = CueText(plain: text, runs: [TextRun(text: text)])
        return Cue(track: 2, start: .seconds(start), end: end.map { .seconds($0) }, content: .text(content))
    }

    private func text(_ cues: [Cue]) -> String {
        String(decoding: WebVTTSegment.bytes(of: cues, in: range), as: UTF8.self)
    }

    private let header = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"

    @Test("Cues keep their times, wherever the segment starts and ends")
    func times() {
        #expect(
            text([cue(3.5, 4.25, "before"), cue(7, 3605.5, "behind")]) == header
                + "00:00:03.500 --> 00:00:04.250\nbefore\n\n00:00:07.000 --> 01:00:05.500\nbehind\n\n"
        )
        #expect(text([]) == header)
    }

    @Test("A cue without duration is never shown; an open one lasts to the end of the segment")
    func lengths() {
        #expect(
            text([cue(5, 5, "none"), cue(6, 6.0002, "none"), cue(6, nil, "open")]) == header
                + "00:00:06.000 --> 00:00:08.000\nopen\n\n"
        )
    }

    @Test(
        "Any cue text is written as one cue",
        arguments: [
            "a --> b", "<i>no tag</i> & <", "one\n\ntwo", "WEBVTT", "NOTE x", "00:00:01.000 --> 00:00:02.000", "\u{A0}",
            "a\r\rb", "a\u{0}b",
        ]
    )
    func escapes(content: String) {
        let bytes = WebVTTSegment.bytes(of: [cue(5, 6, content), cue(6, 7, "next")], in: range)
        let (facts, problems) = TextSegmentFacts.read(bytes, subject: "s")
        #expect(problems.isEmpty, "\(problems)")
        #expect(facts.cues.map(\.start) == [5, 6])
        #expect(facts.cues.last?.text == "next")
        #expect(facts.cues.first?.text.contains("-->") == false)
    }

    @Test(
        "Syntax errors in a segment are reported",
        arguments: [
            ("X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n", "", "X-TIMESTAMP-MAP"),
            ("00:00:05.000 -->", "00:00:5.000 -->", "is not a cue"),
            ("--> 00:00:06.000", "--> 00:00:04.000", "ends before"),
        ]
    )
    func broken(old: String, new: String, message: String) {
        let good = text([cue(5, 6, "x")])
        let (_, problems) = TextSegmentFacts.read(Array(good.replacing(old, with: new).utf8), subject: "s")
        #expect(problems.contains { $0.message.contains(message) }, "\(problems)")
        #expect(TextSegmentFacts.read(Array(good.utf8), subject: "s").problems.isEmpty)
    }

    @Test("The map shifts cues to the timeline, and bytes that are not text are reported")
    func map() {
        let bytes = Array(
            "WEBVTT\r\nX-TIMESTAMP-MAP=LOCAL:00:00:10.000,MPEGTS:1800000\r\n\r\n00:11.000 --> 00:12.500\r\nx\r\n".utf8
        )
        let (facts, problems) = TextSegmentFacts.read(bytes, subject: "s")
        #expect(problems.isEmpty && facts.cues.map(\.start) == [21] && facts.cues.map(\.end) == [22.5])
        #expect(!TextSegmentFacts.read(Array("WEBVTT\n".utf8) + [0xFF], subject: "s").problems.isEmpty)
        #expect(TextSegmentFacts.claims(bytes) && !TextSegmentFacts.claims(Array("\0\0\0 ftyp".utf8)))
    }

    @Test(
        "Line breaks of other standards are not line breaks here",
        arguments: ["\u{2028}", "\u{85}", "\u{B}", "\u{C}"]
    )
    func lineEnds(character: String) {
        let text = "one\(character)\(character)two"
        let (facts, problems) = TextSegmentFacts.read(
            WebVTTSegment.bytes(of: [cue(1, 2, text)], in: range),
            subject: "s"
        )
        #expect(problems.isEmpty && facts.cues.map(\.text) == [text])
    }

    @Test("A cue missing from a segment during which it is shown is reported, and so is a cue that ended before it")
    func continuity() {
        let playlist = PlaylistParser.parse(
            Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n0.vtt\n#EXTINF:4,\n1.vtt\n#EXT-X-ENDLIST\n".utf8),
            uri: "p"
        )
        func problems(_ first: [Cue], _ second: [Cue]) -> Int {
            var check = TextTimelineCheck()
            for (segment, cues) in zip(playlist.segments, [first, second]) {
                check.add(segment, TextSegmentFacts.read(WebVTTSegment.bytes(of: cues, in: range), subject: "s").facts)
            }
            return check.problems.count
        }
        let long = cue(3, 5, "long")
        #expect(problems([long], [long]) == 0)
        #expect(problems([long], []) == 1)
        #expect(problems([cue(1, 2, "a")], [cue(1, 2, "a")]) == 1)
        #expect(problems([cue(3, 4, "up to the end")], []) == 0)
    }
}
