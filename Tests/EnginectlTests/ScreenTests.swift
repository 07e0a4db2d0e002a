// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import Testing

@testable import enginectl

@Suite("The screen of enginectl tui")
struct ScreenTests {
    private static func state(chapters: [Double] = []) -> SessionState {
        let anchor = PositionAnchor(position: .seconds(50), rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: "s1"), source: "/films/a.mkv", url: "", position: anchor)
        state.duration = .seconds(100)
        state.phase = .playing
        state.buffered = [MediaTimeRange(start: .seconds(40), end: .seconds(75))]
        state.selectedAudio = 1
        state.media = MediaDescription()
        state.media?.chapters = chapters.map { Chapter(start: .seconds($0), end: .seconds(100), title: "") }
        return state
    }

    private static func cue(_ text: String) -> WatchEvent {
        let content = Cue.Content.text(CueText(plain: text, runs: [TextRun(text: text)]))
        let cue = Cue(track: 3, start: .seconds(49), end: .seconds(51), content: content)
        return .cue(SessionID(rawValue: "s1"), CueEvent(.appeared, cue, at: .seconds(49)))
    }

    @Test("The picture takes the rows that the lines above and below leave, whatever cues are shown")
    func layout() {
        var model = ScreenModel()
        #expect(model.layout(columns: 40, rows: 10, now: 0).top == ["opening …"])
        model.apply(.snapshot(Self.state(chapters: [0, 25])))
        let layout = model.layout(columns: 60, rows: 20, now: 0)
        #expect(
            layout.top == ["a.mkv  playing  1×  volume 100 %"] && layout.bottom.count == 6 && layout.pictureRows == 13
        )
        let bar = layout.bottom[3]
        // 60 columns, less `0:50 / 1:40` and four.
        #expect(
            bar == "0:50 / 1:40  " + String(repeating: "█", count: 11) + "│" + String(repeating: "█", count: 11)
                + String(repeating: "▒", count: 11) + String(repeating: "░", count: 11)
        )
        model.apply(Self.cue("One\nTwo"))
        let other = model.layout(columns: 60, rows: 20, now: 0)
        #expect(
            other.pictureRows == 13
                && other.bottom[0...2] == [
                    "", String(repeating: " ", count: 28) + "One", String(repeating: " ", count: 28) + "Two",
                ]
        )
        model.note("! careful")
        model.toggleHelp()
        let help = model.layout(columns: 60, rows: 20, now: 0)
        #expect(help.bottom.last == "! careful" && help.help.count == 13)
    }

    @Test("Nothing is wider or taller than the terminal", arguments: [(1, 1), (5, 3), (20, 6), (60, 20), (200, 50)])
    func narrow(columns: Int, rows: Int) {
        var model = ScreenModel()
        model.apply(.snapshot(Self.state(chapters: [10])))
        model.apply(Self.cue(String(repeating: "long ", count: 60)))
        for _ in 0..<2 {
            let layout = model.layout(columns: columns, rows: rows, now: 0)
            #expect(layout.top.count + layout.pictureRows + layout.bottom.count == rows)
            #expect((layout.top + layout.help + layout.bottom).allSatisfy { $0.count <= columns })
            #expect(layout.help.count <= layout.pictureRows)
            model.toggleHelp()
        }
    }

    @Test(
        "A picture keeps its shape in cells that are twice as tall as wide",
        arguments: [
            (320, 180, 1.0, 80, 40, 80, 23), (320, 180, 1.0, 200, 20, 71, 20), (100, 100, 1.0, 80, 20, 40, 20),
            (720, 576, 64.0 / 45, 80, 40, 80, 23), (180, 320, 1.0, 80, 20, 23, 20), (1000, 1, 1.0, 80, 20, 80, 1),
            (10, 10, 1.0, 0, 20, 0, 0), (10, 10, 1.0, 20, 0, 0, 0),
        ]
    )
    func cells(_ width: Int, _ height: Int, _ ratio: Double, _ columns: Int, _ rows: Int, _ wide: Int, _ high: Int) {
        let pixels = [UInt8](repeating: 0, count: width * height * 3)
        let picture = CellPicture(width: width, height: height, aspectRatio: ratio, pixels: pixels)
        #expect(picture.cells(columns: columns, rows: rows) == (wide, high))
    }

    @Test("A cell of half blocks has the mean colours of its two halves")
    func halfBlocks() {
        // Two columns and four rows of pixels: red over blue, then grey made of black and white.
        let pixels: [UInt8] = [
            255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255,
            0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255,
        ]
        let picture = CellPicture(width: 2, height: 4, pixels: pixels)
        #expect(
            picture.halfBlocks(columns: 1, rows: 2) == [
                "\u{1B}[38;2;255;0;0m\u{1B}[48;2;0;0;255m▀\u{1B}[0m",
                "\u{1B}[38;2;127;127;127m\u{1B}[48;2;127;127;127m▀\u{1B}[0m",
            ]
        )
        #expect(picture.halfBlocks(columns: 2, rows: 1)[0].filter { $0 == "▀" }.count == 2)
        #expect(picture.halfBlocks(columns: 4, rows: 4).count == 4, "more cells than pixels")
    }

    @Test("A picture for kitty is sent in pieces of at most 4096 bytes")
    func kitty() {
        let picture = CellPicture(width: 100, height: 50, pixels: [UInt8](repeating: 7, count: 15_000))
        let pieces = picture.kitty(columns: 20, rows: 5).split(separator: "\u{1B}\\")
        #expect(
            pieces.count == 5 && pieces[0].hasPrefix("\u{1B}_Ga=T,f=24,s=100,v=50,i=1,p=1,c=20,r=5,C=1,q=2,m=1;BwcH")
        )
        #expect(pieces.dropFirst().dropLast().allSatisfy { $0.hasPrefix("\u{1B}_Gm=1;") && $0.count == 4096 + 7 })
        #expect(pieces[4].hasPrefix("\u{1B}_Gm=0;"))
    }

    @Test("Terminals with kitty's protocol are recognised by their environment")
    func graphics() {
        #expect(TerminalScreen.Graphics(["TERM": "xterm-kitty"]) == .kitty)
        #expect(TerminalScreen.Graphics(["TERM_PROGRAM": "WezTerm"]) == .kitty)
        #expect(
            TerminalScreen.Graphics(["TERM": "xterm-256color"]) == .halfBlocks
                && TerminalScreen.Graphics([:]) == .halfBlocks
        )
    }
}
