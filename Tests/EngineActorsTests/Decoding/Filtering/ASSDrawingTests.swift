// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("ASS drawings", .timeLimit(.minutes(10)))
struct ASSDrawingTests {
    @Test(
        "commands become outlines",
        arguments: [
            ("m 0 0 l 10 0 10 5", "M0 0L10 0L10 5Z"),
            ("m0 0l10 0 10 5m 20 0 l 21 0 21.5 -1", "M0 0L10 0L10 5ZM20 0L21 0L21.5 -1Z"),
            // `n` moves the pen without closing the outline, which continues from its last point.
            ("m 0 0 l 10 0 n 5 5 l 0 9", "M0 0L10 0L0 9Z"),
            ("m 0 0 b 1 0 2 0 3 1 4 2 5 2 6 0", "M0 0C1 0 2 0 3 1C4 2 5 2 6 0Z"),
            // The first knot is (p0 + 4 p1 + p2) / 6.
            ("m 0 0 s 6 0 6 6 0 6", "M5 1C6 2 6 4 5 5Z"),
            ("m 0 0 s 6 0 6 6 0 6 c", "M5 1C6 2 6 4 5 5C4 6 2 6 1 5C0 4 0 2 1 1C2 0 4 0 5 1Z"),
            ("m 0 0 s 6 0 6 6 0 6 p 0 0 6 0", "M5 1C6 2 6 4 5 5C4 6 2 6 1 5C0 4 0 2 1 1Z"),
        ]
    )
    func commands(text: String, data: String) throws {
        #expect(try ASSPathReader.read(Array(text.utf8)[...], scale: 1).data == data)
    }

    @Test("with scale n, coordinates are in units of 1/2^(n-1)")
    func scale() throws {
        #expect(try ASSPathReader.read(Array("m 0 0 l 10 0 10 5".utf8)[...], scale: 3).data == "M0 0L2.5 0L2.5 1.25Z")
    }

    @Test("tags set fill, border and position; the default is white")
    func style() throws {
        let plain = try ASSDrawing("m 0 0 l 10 0 10 5").document()
        #expect(plain.contains("viewBox=\"0 0 10 5\""))
        #expect(plain.contains("fill=\"#ffffff\" fill-opacity=\"1\""))
        #expect(!plain.contains("stroke"))
        let text = "{\\an7\\pos(100, 50)\\p1}{\\c&H0080FF&\\1a&H80&\\3c&HFF0000\\bord2}m 0 0 l 10 0 10 5{\\p0}"
        let document = try ASSDrawing(text).document()
        #expect(document.contains("viewBox=\"98 48 14 9\""))
        #expect(document.contains("translate(100 50)"))
        #expect(document.contains("fill=\"#ff8000\" fill-opacity=\"0.498039\""))
        #expect(document.contains("stroke=\"#0000ff\" stroke-opacity=\"1\" stroke-width=\"4\""))
        #expect(document.contains("mask=\"url(#m0)\""))
        #expect(try ASSDrawing(text, width: 640, height: 360).document().contains("viewBox=\"0 0 640 360\""))
    }

    @Test("each line is a separate drawing, with later lines on top")
    func lines() throws {
        let document = try ASSDrawing("{\\c&H0000FF&}m 0 0 l 9 0 9 9\r\n\n{\\c&HFF0000&}m 1 1 l 3 1 3 3\n").document()
        let places = ["#ff0000", "#0000ff"].map { document.firstRange(of: $0)?.lowerBound }
        #expect(try #require(places[0]) < #require(places[1]))
    }

    @Test(
        "an error names the invalid text",
        arguments: [
            ("", "draws nothing"), ("m 0 0", "draws nothing"), ("m 0 0 l 10 0", "has both a width and a height"),
            ("l 1 1", "does not begin with m at command l"), ("m 0 0 l", "fewer than 1 points at command l"),
            ("m 0 0 l 1", "an unpaired coordinate at command l"), ("1 1 m 0 0", "points without a command"),
            ("m 0 0 b 1 1 2 2", "fewer than 3 points at command b"),
            ("m 0 0 b 1 1 2 2 3 3 4 4", "needs three points for each curve"),
            ("m 0 0 l 1 1 p 1 1", "extends a spline that does not exist"),
            ("m 0 0 x 1 1", "has unknown syntax at command x"),
            ("m 0 0 l 1e5 0", "an unpaired coordinate at command l"), ("m 0 0 l 1-2 0", "\"1-2\" where a number"),
            ("m 0 0 l 99999999 0", "\"99999999\" where"), ("m 0 0 l 1;5", "\";5\", which no drawing may contain"),
            ("{\\p1\\blur3}m 0 0 l 9 0 9 9", "the tag \"\\blur3\""), ("{\\c&Hxyz&}m 0 0 l 9 0 9 9", "\"\\c&Hxyz&\""),
            ("{\\an5}m 0 0 l 9 0 9 9", "\"\\an5\""), ("{\\p99}m 0 0 l 9 0 9 9", "\"\\p99\""),
            ("{comment}m 0 0 l 9 0 9 9", "\"comment\" between braces"), ("{\\p1 m 0 0", "an unmatched brace"),
            ("m 0 0 l 9 0 9 9{\\c&HFF&}", "tags after a drawing"), ("{\\p0}m 0 0 l 9 0 9 9", "after a drawing"),
            ("m 0 0 l 9 0 9 9{\\p0}text", "after a drawing"), ("[Script Info]", "\"[Script\""),
        ]
    )
    func refused(text: String, problem: String) throws {
        let error = try #require(throws: EngineError.self) { try ASSDrawing(text).document() }
        #expect(error.code == .invalidArgument && error.field == "ass")
        #expect(error.message.contains(problem), "\(error.message)")
    }

    @Test(
        "width and height must both be present or both absent, and are bounded",
        arguments: [(1, 0, "ass_height"), (0, 1, "ass_width"), (20_000, 1, "ass_width")]
    )
    func sizes(width: Int, height: Int, field: String) throws {
        let drawing = ASSDrawing("m 0 0 l 9 0 9 9", width: width, height: height)
        #expect(try #require(throws: EngineError.self) { try drawing.document() }.field == field)
    }

    @Test("text that is too long, or has too many lines, is rejected")
    func limits() {
        let long = "m 0 0 l " + String(repeating: "1 1 ", count: 16 << 10)
        #expect(throws: EngineError.self) { try OverlayDrawing.ass(ASSDrawing(long)).document() }
        let many = String(repeating: "m 0 0 l 9 0 9 9\n", count: 257)
        #expect(throws: EngineError.self) { try ASSDrawing(many).document() }
    }
}
