// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Timed text in XML")
struct TTMLTests {
    /// An element as events.
    private static func element(
        _ name: String,
        _ attributes: [String: String] = [:],
        _ children: [XMLEvent]...
    ) -> [XMLEvent] {
        // Avoids `joined`, which copies one event at a time: too slow for a million without optimisation.
        var events: [XMLEvent] = [.start(name, attributes: attributes)]
        for child in children { events += child }
        events.append(.end)
        return events
    }

    private static func text(_ text: String) -> [XMLEvent] { [.text(text)] }

    private static func cues(
        root attributes: [String: String] = [:],
        head: [XMLEvent] = [],
        _ body: [XMLEvent]...
    ) throws -> [Cue] {
        var document = TTMLDocument()
        let whole = element(
            "tt",
            attributes,
            head.isEmpty ? [] : element("head", [:], head),
            element("body", [:], element("div", [:], Array(body.joined())))
        )
        for event in whole { document.take(event) }
        return try document.cues()
    }

    private static func content(of cue: Cue) -> CueText? {
        if case .text(let text) = cue.content { text } else { nil }
    }

    private static func lines(_ cues: [Cue]) -> [String] {
        cues.map { cue in
            guard case .text(let text) = cue.content, let end = cue.end else { return "?" }
            return "\(cue.start.seconds)-\(end.seconds) \(text.plain)"
        }
    }

    @Test(
        "Times are clock times, with fractions or frames, or offsets in six units",
        arguments: [
            ("00:00:01", 1), ("01:02:03.25", 3723.25), ("00:00:10:12", 10.5), ("00:00:10:12.1", 10 + 12.5 / 24),
            ("100:00:00", 360_000), ("12.5s", 12.5), ("250ms", 0.25), ("2m", 120), ("1h", 3600), ("36f", 1.5),
            ("20t", 2), (" 1s ", 1),
            ("", nil), ("1", nil), ("1:02", nil), ("00:00:-1", nil), ("soon", nil), ("1e3s", nil), ("5x", nil),
            ("00:00:01:2:3", nil), (".", nil), ("99999999999h", nil),
        ] as [(String, Double?)]
    )
    func times(_ text: String, _ seconds: Double?) {
        let clock = TTMLClock(["frameRate": "24", "subFrameRate": "2", "tickRate": "10"])
        #expect(clock.time(text) == seconds.map { .seconds($0) })
    }

    @Test(
        "The document determines how long a frame lasts",
        arguments: [
            ([:], "30f", 1), (["frameRate": "25"], "25f", 1),
            (["frameRate": "30", "frameRateMultiplier": "1000 1001"], "30f", 1.001),
            (["frameRate": "30", "frameRateMultiplier": "1000:1001"], "30f", 1.001), ([:], "3t", 3),
            (["frameRate": "25"], "25t", 1), (["frameRate": "0"], "30f", 1), (["frameRateMultiplier": "x"], "30f", 1),
        ] as [([String: String], String, Double)]
    )
    func rates(_ attributes: [String: String], _ text: String, _ seconds: Double) {
        #expect(TTMLClock(attributes).time(text) == .seconds(seconds))
    }

    @Test("Times of elements count from the start of their parents, and end with them")
    func nestedTimes() throws {
        var document = TTMLDocument()
        let whole = Self.element(
            "tt",
            [:],
            Self.element(
                "body",
                ["begin": "10s"],
                Self.element(
                    "div",
                    ["begin": "5s", "end": "20s"],
                    Self.element("p", ["begin": "1s", "dur": "2s"], Self.text("a")),
                    Self.element("p", ["begin": "4s", "end": "60s"], Self.text("b")),
                    Self.element("p", ["begin": "4s", "end": "6s", "dur": "9s"], Self.text("c")),
                    Self.element("p", ["begin": "30s"], Self.text("never"))
                ),
                Self.element(
                    "div",
                    ["timeContainer": "seq"],
                    Self.element("p", ["dur": "1s"], Self.text("one")),
                    Self.element("p", ["begin": "1s", "dur": "2s"], Self.text("two"))
                )
            )
        )
        for event in whole { document.take(event) }
        let found = try document.cues()
        #expect(
            Self.lines(found) == [
                "10.0-11.0 one", "12.0-14.0 two", "16.0-18.0 a", "19.0-30.0 b", "19.0-21.0 c",
            ]
        )
    }

    @Test("Spans with times of their own appear and disappear while the others stay")
    func timedSpans() throws {
        let found = try Self.cues(
            Self.element(
                "p",
                ["begin": "1s", "end": "5s"],
                Self.text("one "),
                Self.element("span", ["begin": "1s"], Self.text("two ")),
                Self.element("span", ["begin": "2s", "end": "3s"], Self.text("three"))
            )
        )
        #expect(Self.lines(found) == ["1.0-2.0 one", "2.0-3.0 one two", "3.0-4.0 one two three", "4.0-5.0 one two"])
    }

    @Test("A cue without an end lasts until the next one, the last one for five seconds")
    func noEnd() throws {
        let found = try Self.cues(
            Self.element("p", ["begin": "1s"], Self.text("a")),
            Self.element("p", ["begin": "3s"], Self.text("b"))
        )
        #expect(Self.lines(found) == ["1.0-3.0 a", "3.0-8.0 b"])
    }

    @Test("Spaces are collapsed; line ends are kept if the document says so, and br is one")
    func space() throws {
        let found = try Self.cues(
            Self.element("p", ["end": "1s"], Self.text("\n   a\n   b "), Self.element("br"), Self.text("  c\u{A0} \n")),
            Self.element("p", ["begin": "1s", "end": "2s", "space": "preserve"], Self.text("a  b\nc")),
            Self.element("p", ["begin": "2s", "end": "3s"], Self.text(" \n "), Self.element("br")),
            Self.element(
                "p",
                ["begin": "3s", "end": "4s"],
                Self.element("br"),
                Self.text("d"),
                Self.element("br"),
                Self.element("br")
            )
        )
        #expect(Self.lines(found) == ["0.0-1.0 a b\nc\u{A0}", "1.0-2.0 a b\nc", "3.0-4.0 d"])
    }

    @Test("Styles come from attributes, then references, then the region, then the parent")
    func styles() throws {
        let head =
            Self.element(
                "styling",
                [:],
                Self.element("style", ["id": "base", "color": "yellow", "fontStyle": "italic"]),
                Self.element("style", ["id": "loud", "style": "base", "fontWeight": "bold"]),
                Self.element("style", ["id": "loop", "style": "loop loop"])
            )
            + Self.element(
                "layout",
                [:],
                Self.element(
                    "region",
                    ["id": "r", "color": "#ff000080"],
                    Self.element("style", ["textDecoration": "underline"])
                )
            )
        let found = try Self.cues(
            head: head,
            Self.element(
                "p",
                ["end": "1s", "style": "loud", "region": "r"],
                Self.text("a"),
                Self.element("span", ["color": "rgb(1, 2, 3)", "fontWeight": "normal"], Self.text("b"))
            ),
            Self.element("p", ["end": "2s", "region": "r"], Self.text("c")),
            Self.element("p", ["end": "3s", "style": "loop none"], Self.text("d"))
        )
        let text = try #require(found.first.flatMap(Self.content(of:)))
        var (first, second) = (TextRun(text: "a"), TextRun(text: "b"))
        (first.isBold, first.isItalic, first.isUnderlined, first.color) = (true, true, true, 0xFF_FF00)
        (second.isItalic, second.isUnderlined, second.color) = (true, true, 0x01_0203)
        #expect(text.runs == [first, second])
        let other = try #require(Self.content(of: found[1]))
        #expect(other.runs.map(\.color) == [0xFF_0000] && other.runs.allSatisfy(\.isUnderlined))
        #expect(Self.lines(found).last == "0.0-3.0 d")
    }

    @Test(
        "A region decides where text is; without one it is at the bottom",
        arguments: [
            (nil, [:], 2), (nil, ["textAlign": "left"], 1), (nil, ["textAlign": "end"], 3),
            (["origin": "10% 80%", "extent": "80% 15%", "displayAlign": "after"], [:], 2),
            (["origin": "10% 80%", "extent": "80% 15%"], [:], 2),
            (["origin": "0% 0%", "extent": "100% 100%"], [:], 8),
            (["origin": "0% 0%", "extent": "100% 100%", "displayAlign": "after"], [:], 2),
            (["origin": "0% 0%", "extent": "100% 100%", "displayAlign": "center"], [:], 5),
            (["origin": "10% 5%", "extent": "80% 20%", "textAlign": "right"], [:], 9),
            (["origin": "0c 12c", "extent": "8c 3c"], ["textAlign": "center"], 1),
            (["origin": "1280px 900px", "extent": "640px 100px"], ["textAlign": "center"], 3),
            (["origin": "auto", "extent": "auto"], [:], 8),
        ] as [([String: String]?, [String: String], Int)]
    )
    func places(_ region: [String: String]?, _ paragraph: [String: String], _ alignment: Int) throws {
        let named = region.map { Self.element("layout", [:], Self.element("region", $0.merging(["id": "r"]) { $1 })) }
        let attributes = paragraph.merging(["end": "1s"].merging(region == nil ? [:] : ["region": "r"]) { $1 }) { $1 }
        let found = try Self.cues(
            root: ["extent": "1920px 1080px"],
            head: named ?? [],
            Self.element("p", attributes, Self.text("a"))
        )
        let text = try #require(found.first.flatMap(Self.content(of:)))
        #expect(text.alignment == alignment)
    }

    @Test("Hidden text and annotations are left out")
    func hidden() throws {
        let found = try Self.cues(
            Self.element("p", ["end": "1s", "display": "none"], Self.text("a")),
            Self.element("p", ["end": "2s", "visibility": "hidden"], Self.text("b")),
            Self.element(
                "p",
                ["end": "3s"],
                Self.element("metadata", [:], Self.text("x")),
                Self.element("span", ["ruby": "base"], Self.text("c")),
                Self.element("span", ["ruby": "text"], Self.text("d"))
            )
        )
        #expect(Self.lines(found) == ["0.0-3.0 c"])
    }

    @Test("A document beyond a limit is refused whole, and one at the limit is not")
    func limits() throws {
        func spans(_ count: Int) -> [XMLEvent] {
            Self.element(
                "p",
                [:],
                (0..<count).flatMap { Self.element("span", ["begin": "\($0)s"], Self.text("abc")) }
            )
        }
        #expect(throws: TTMLDocument.Excess.work) { try Self.cues(spans(20_000)) }
        #expect(try Self.cues(spans(1000)).count == 1000)
        let ignored = Self.element("metadata", [:])
        func elements(_ count: Int) -> [XMLEvent] {
            // The four are `tt`, `body`, `div` and `p`.
            var events = Self.element("p", [:], Self.text("a"))
            events.reserveCapacity(events.count + (count - 4) * ignored.count)
            for _ in 0..<count - 4 { events += ignored }
            return events
        }
        #expect(try Self.cues(elements(1_000_000)).count == 1)
        #expect(throws: TTMLDocument.Excess.elements) { try Self.cues(elements(1_000_001)) }
        func nested(_ depth: Int) -> [XMLEvent] {
            let paragraph = Self.element("p", ["end": "1s"], Self.text("a"))
            return (0..<depth).reduce(paragraph) { inner, _ in Self.element("div", [:], inner) }
        }
        #expect(try Self.cues(nested(64 - 4)).count == 1)
        #expect(throws: TTMLDocument.Excess.depth) { try Self.cues(nested(64 - 3)) }
    }

    @Test("Any events give a document or none, never a crash")
    func anyEvents() throws {
        var document = TTMLDocument()
        for event in [.end, .text("a"), .end, .start("tt", attributes: [:]), .start("p", attributes: [:])] as [XMLEvent]
        {
            document.take(event)
        }
        #expect(try document.cues().isEmpty)
        for _ in 0..<10 { document.take(.start("div", attributes: ["begin": "1s"])) }
        for _ in 0..<15 { document.take(.end) }
        #expect(try document.cues().isEmpty)
    }
}
