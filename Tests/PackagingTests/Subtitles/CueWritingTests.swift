// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Writing cues", .timeLimit(.minutes(10)))
struct CueWritingTests {
    private let cue: Cue = {
        var bold = TextRun(text: "<bold>")
        bold.isBold = true
        bold.color = 0xFF8000
        let runs = [TextRun(text: "a & b\n\n"), bold]
        let text = CueText(plain: "a & b\n\n<bold>", runs: runs, alignment: 8)
        return Cue(track: 2, start: .seconds(3661.0005), end: .seconds(3662.9996), content: .text(text))
    }()

    @Test("SubRip has tags, times with a comma, and no empty lines within a cue")
    func subRip() {
        let expected =
            "4\n01:01:01,001 --> 01:01:03,000\n{\\an8}a & b\n<b><font color=\"#ff8000\"><bold></font></b>\n\n"
        #expect(SubRipWriter.block(cue, number: 4) == expected)
    }

    @Test("SubRip omits white that comes from a style, and keeps white that was chosen")
    func white() {
        var styled = TextRun(text: "styled")
        (styled.color, styled.font, styled.size) = (0xFF_FFFF, "Sans", 0.1)
        var chosen = TextRun(text: "chosen")
        chosen.color = 0xFF_FFFF
        let text = CueText(plain: "styledchosen", runs: [styled, chosen])
        let block = SubRipWriter.block(Cue(track: 2, start: .zero, end: .seconds(1), content: .text(text)), number: 1)
        #expect(block.hasSuffix("\nstyled<font color=\"#ffffff\">chosen</font>\n\n"))
    }

    @Test("WebVTT has settings, and special characters are escaped")
    func webVTT() {
        let expected = "01:01:01.001 --> 01:01:03.000 line:0\na &amp; b\n<b>&lt;bold&gt;</b>\n\n"
        #expect(WebVTTWriter.block(cue) == expected)
    }

    @Test("ASS has overrides, and times in hundredths")
    func script() {
        let expected =
            "Dialogue: 0,1:01:01.00,1:01:03.00,Default,,0,0,0,,{\\an8}a & b\\N\\N{\\b1\\c&H0080FF&}<bold>{\\b0\\c}\n"
        #expect(ASSWriter.line(cue) == expected)
    }

    @Test("Text written as ASS reads back the same")
    func scriptReadsBack() throws {
        let line = ASSWriter.line(cue).dropLast()
        let fields = line.dropFirst("Dialogue: ".count).split(
            separator: ",",
            maxSplits: 9,
            omittingEmptySubsequences: false
        )
        let event = try #require(ASSEvent("0,\(fields[0]),\(fields[3...].joined(separator: ","))"))
        let read = try #require(CueText(event, in: ASSHeader(), isScript: true))
        #expect(cue.content == .text(read))
    }

    @Test("A script's header has one events section, at its end, with the fields of its lines")
    func head() {
        let source =
            "[Script Info]\r\nTitle: x\r\n[Events]\r\nFormat: Layer, Start, End, Text\r\n[Fonts]\r\nfontname: a\r\n\0"
        let head = ASSWriter.head(source)
        #expect(
            head.hasPrefix(
                "[Script Info]\nTitle: x\n[Fonts]\nfontname: a\n\n[Events]\nFormat: Layer, Start, End, Style"
            )
        )
        #expect(head.hasSuffix("Effect, Text\n"))
        #expect(ASSWriter.head("").contains("Style: Default,"))
    }

    @Test(
        "Alignments and positions become WebVTT settings",
        arguments: [
            (2, nil, ""), (1, nil, " align:left"), (9, nil, " line:0 align:right"), (5, nil, " line:50%,center"),
            (2, CuePosition(x: 0.25, y: 0.5), " line:50%,end position:25%,center"),
            (7, CuePosition(x: -1, y: 0.125), " line:12.5%,start position:0%,line-left align:left"),
        ] as [(Int, CuePosition?, String)]
    )
    func settings(_ alignment: Int, _ position: CuePosition?, _ settings: String) {
        let text = CueText(plain: "x", runs: [TextRun(text: "x")], alignment: alignment, position: position)
        #expect(WebVTTWriter.settings(of: text) == settings)
    }
}
