// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Sessions

@Suite("Cues on screen", .timeLimit(.minutes(10)))
struct CueScreenTests {
    private func cue(_ text: String, _ start: Double, _ end: Double) -> Cue {
        let content = Cue.Content.text(CueText(plain: text, runs: [TextRun(text: text)]))
        return Cue(track: 2, start: .seconds(start), end: .seconds(end), content: content)
    }

    private func plain(_ cues: [Cue]?) -> [String]? {
        cues?.map { if case .text(let text) = $0.content { text.plain } else { "" } }
    }

    @Test("cues appear at their start and disappear at their end, and nothing is published in between")
    func playing() {
        var screen = CueScreen()
        screen.replace([cue("a", 1, 2), cue("b", 2, 3), cue("c", 2, 4)])
        #expect(plain(screen.move(to: .zero)?.upcoming) == ["a", "b", "c"])
        #expect(screen.nextMoment == .seconds(1))
        #expect(plain(screen.move(to: .seconds(1))?.shown) == ["a"])
        #expect(screen.move(to: .seconds(1.5)) == nil)
        #expect(screen.nextMoment == .seconds(2))
        #expect(plain(screen.move(to: .seconds(2))?.shown) == ["b", "c"])
        #expect(plain(screen.move(to: .seconds(3))?.shown) == ["c"])
        #expect(plain(screen.move(to: .seconds(4))?.shown) == [])
        #expect(screen.nextMoment == nil)
    }

    @Test("cues are published again on request, although they are the same")
    func anew() {
        var screen = CueScreen()
        screen.replace([cue("a", 1, 2)])
        _ = screen.move(to: .seconds(1))
        screen.publishAnew()
        #expect(plain(screen.move(to: .seconds(1))?.shown) == ["a"])
        #expect(screen.move(to: .seconds(1)) == nil)
    }

    @Test("after any jump of the playhead, exactly the cues of that moment are on screen")
    func anywhere() {
        var random = SplitMix(state: 9)
        let cues = (0..<200).map { number in
            let start = Double(number / 2)
            return cue("\(number)", start, start + Double.random(in: 0...5, using: &random))
        }
        var screen = CueScreen()
        screen.replace(cues)
        var shown: [Cue] = []
        for step in 0..<2000 {
            let time = MediaTime.seconds(Double.random(in: -1...110, using: &random))
            if step % 97 == 0 { screen.replace(cues) }
            if let change = screen.move(to: time) { shown = change.shown }
            #expect(shown.map(\.id) == cues.filter { $0.isOn(at: time) }.map(\.id))
        }
    }

    @Test("of more than 1024 cues on screen, the first 1024 are shown, and nothing is published twice")
    func tooMany() {
        let cues = (0..<3000).map { cue("\($0)", 1, $0 < 100 ? 2 : 3) }
        var screen = CueScreen()
        screen.replace(cues)
        #expect(screen.move(to: .seconds(1))?.shown.map(\.id) == cues.prefix(1024).map(\.id))
        #expect(screen.move(to: .seconds(1.5)) == nil)
        #expect(screen.move(to: .seconds(2))?.shown.map(\.id) == cues[100...].prefix(1024).map(\.id))
        #expect(screen.move(to: .seconds(3))?.shown.isEmpty == true)
    }
}
