// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Text of ASS events", .timeLimit(.minutes(10)))
struct ASSTextTests {
    private static let header = ASSHeader(
        """
        [Script Info]\r
        PlayResX: 640\r
        PlayResY: 360\r
        [V4+ Styles]\r
        Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Underline, StrikeOut, Alignment\r
        Style: Default,Sans,36,&H00FFFFFF,-1,0,0,0,8\r
        Style: Sign, Serif , 18, &H0000FF00, 0, 1, 0, 0, 2\r
        """,
        hasStyles: true
    )

    private func text(_ text: String, style: String = "None", in header: ASSHeader = ASSHeader()) throws -> ASSText {
        let event = try #require(ASSEvent("7,0,\(style),Name,0,0,0,,\(text)"))
        return ASSText(event, in: header, hasComments: true)
    }

    @Test(
        "Overrides are not text; text that only resembles an override is kept",
        arguments: [
            (#"a\Nb\nc\hd"#, "a\nb\nc\u{A0}d"), (#"{\b1}bold{\b0} not"#, "bold not"), ("{a comment}seen", "seen"),
            (#"an {unclosed"#, "an {unclosed"), (#"{\p1}m 0 0 l 1 1{\p0}after"#, "after"), (#"\{kept\}"#, "{kept}"),
            (#"{\t(0,100,\fs40\i1)}grows"#, "grows"), ("one,two,,three", "one,two,,three"), ("end\\N\\N", "end"),
            (#"back\slash"#, #"back\slash"#), ("", ""), ("\u{1A}", "\u{FFFD}"), ("{\\", "{\\"), ("}{", "}{"),
        ]
    )
    func plain(_ source: String, _ plain: String) throws {
        #expect(try text(source).plain == plain)
    }

    @Test("Unclosed braces are text, however many there are", arguments: [true, false])
    func openBraces(hasComments: Bool) throws {
        let braces = String(repeating: "{", count: 300_000)
        let event = try #require(ASSEvent("0,0,Default,,0,0,0,,\(braces)"))
        #expect(ASSText(event, in: ASSHeader(), hasComments: hasComments).plain == braces)
        let closed = try #require(ASSEvent("0,0,Default,,0,0,0,,\(braces)}"))
        #expect(ASSText(closed, in: ASSHeader(), hasComments: hasComments).plain == (hasComments ? "" : braces + "}"))
    }

    @Test("Positions and sizes beyond the range of numbers are ignored")
    func boundless() throws {
        let tiny = ASSHeader("[Script Info]\nPlayResX: 1e-300\nPlayResY: 1e-300", hasStyles: true)
        let event = try #require(ASSEvent(#"0,0,Default,,0,0,0,,{\pos(1e300,1)\fs9}x"#))
        #expect(ASSText(event, in: tiny, hasComments: true).position == nil)
        let grown = try text(#"{\fs9}"# + String(repeating: #"{\fs+1000000}"#, count: 100) + "x")
        #expect(try #require(grown.runs.first?.size) <= 1e6)
    }

    @Test(
        "The longest matching tag wins",
        arguments: [
            (#"\be1"#, TextRun(text: "x")), (#"\bord3"#, TextRun(text: "x")), (#"\iclip(0,0,9,9)"#, TextRun(text: "x")),
            (#"\shad2"#, TextRun(text: "x")), (#"\fscx150"#, TextRun(text: "x")), (#"\fsp4"#, TextRun(text: "x")),
            (#"\blur2"#, TextRun(text: "x")), (#"\unknown1"#, TextRun(text: "x")),
            (#"\k20\clip(1,2,3,4)"#, TextRun(text: "x")),
            (#"\t(\i1\b1)"#, TextRun(text: "x")), (#"\i2"#, TextRun(text: "x")), (#"\b1"#, run { $0.isBold = true }),
            (#"\b700"#, run { $0.isBold = true }), (#"\b400"#, TextRun(text: "x")),
            (#"\i1\b1\i0"#, run { $0.isBold = true }),
            (#"\u1\s1"#, run { ($0.isUnderlined, $0.isStruckOut) = (true, true) }),
            (#"\c&H0000FF&"#, run { $0.color = 0xFF_0000 }), (#"\1c&HFF8000&"#, run { $0.color = 0x0080FF }),
            (#"\2c&H0000FF&"#, TextRun(text: "x")),
            (#"\fnDejaVu Sans\fs144"#, run { ($0.font, $0.size) = ("DejaVu Sans", 0.5) }),
            (#"\b1\r"#, TextRun(text: "x")), (#"\c&HZZ&"#, TextRun(text: "x")), (#"\fs-1e400"#, TextRun(text: "x")),
        ]
    )
    func looks(_ tags: String, _ run: TextRun) throws {
        #expect(try text("{\(tags)}x").runs == [run])
    }

    private static func run(_ change: (inout TextRun) -> Void) -> TextRun {
        var run = TextRun(text: "x")
        change(&run)
        return run
    }

    @Test("An event has the look of its style, or of another style after a reset to that style")
    func styles() throws {
        let found = try text(#"a{\rSign}b{\r}c"#, style: "Default", in: Self.header)
        #expect(found.alignment == 8)
        #expect(found.runs.map(\.text) == ["a", "b", "c"])
        #expect(found.runs.map(\.isBold) == [true, false, true])
        #expect(found.runs.map(\.isItalic) == [false, true, false])
        #expect(found.runs.map(\.font) == ["Sans", "Serif", "Sans"])
        #expect(found.runs.map(\.color) == [0xFF_FFFF, 0x00_FF00, 0xFF_FFFF])
        #expect(found.runs.map(\.size) == [0.1, 0.05, 0.1])
    }

    @Test("Positions are fractions of the script's resolution, and the first one is used")
    func places() throws {
        let found = try text(#"{\an7\pos(320,90)\an3\pos(0,0)}x"#, style: "Sign", in: Self.header)
        #expect(found.alignment == 7)
        #expect(found.position == CuePosition(x: 0.5, y: 0.25))
        #expect(try text(#"{\move(192,144,0,0,0,500)}x"#).position == CuePosition(x: 0.5, y: 0.5))
        #expect(try text(#"{\pos(1)}x"#).position == nil)
        #expect(try text(#"{\a6}x"#).alignment == 8)
    }

    @Test("A line with fewer than nine fields is not an event", arguments: ["", ",,,", "0,0,Default,,0,0,0,text"])
    func notAnEvent(_ line: String) {
        #expect(ASSEvent(line) == nil)
    }

    @Test("Braces without a backslash are text if the source is not a script")
    func bracesOfOthers() throws {
        let event = try #require(ASSEvent(#"0,0,Default,,0,0,0,,{hello} {\i1}you"#))
        #expect(ASSText(event, in: ASSHeader(), hasComments: false).plain == "{hello} you")
    }

    @Test("A script line has the event's fields and rounded times")
    func dialogue() throws {
        let event = try #require(ASSEvent("3,1,Sign,A,1,2,3,fx,a,b"))
        #expect(
            event.dialogue(from: 3_725_014_999, to: 3_726_995_000)
                == "Dialogue: 1,1:02:05.01,1:02:07.00,Sign,A,1,2,3,fx,a,b"
        )
    }
}
