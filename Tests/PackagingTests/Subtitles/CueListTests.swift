// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite("Cue lists", .timeLimit(.minutes(10)))
struct CueListTests {
    private func cue(_ text: String, _ start: Double, _ end: Double?, track: Int = 2) -> Cue {
        Cue(
            track: track,
            start: .seconds(start),
            end: end.map { .seconds($0) },
            content: .text(CueText(plain: text))
        )
    }

    private func plain(_ cues: [Cue]) -> [String] {
        cues.map { if case .text(let text) = $0.content { text.plain } else { "" } }
    }

    @Test("The order of arrival of units and repeated units make no difference")
    func anyOrder() {
        let units = (0..<20).map { (unit: Int) -> [Cue] in
            let start = Double(unit) * 4
            return [cue("b\(unit)", start + 1, start + 3), cue("a\(unit)", start, start + 2)]
        }
        var linear = CueList()
        for (unit, cues) in units.enumerated() { linear.set(cues, track: 2, unit: unit) }
        var random = SplitMix(state: 5)
        var shuffled = CueList()
        for _ in 0..<300 {
            let unit = Int.random(in: 0..<20, using: &random)
            shuffled.set(units[unit], track: 2, unit: unit)
        }
        #expect(shuffled.cues(of: [2]) == linear.cues(of: [2]))
        #expect(linear.cues(of: [2]).count == 40)
        #expect(linear.byteCount == shuffled.byteCount)
    }

    @Test("Simultaneous cues of two speakers are both kept, in source order; a repeated cue is not")
    func equalTimes() {
        var list = CueList()
        list.set([cue("- one", 1, 2), cue("- two", 1, 2), cue("- one", 1, 2)], track: 2, unit: 0)
        list.set([cue("- one", 1, 2), cue("- one", 1, 3)], track: 2, unit: 1)
        #expect(plain(list.cues(of: [2])) == ["- one", "- two", "- one"])
    }

    @Test("An open cue ends where the next one of its track starts, and keeps its id")
    func openCues() {
        let open = cue("open", 1, nil)
        var list = CueList()
        list.set([open, cue("beside", 1, nil)], track: 2, unit: 0)
        list.set([cue("other", 2, 3, track: 3)], track: 3, unit: 0)
        #expect(list.cues(of: [2, 3]).map(\.end) == [nil, nil, .seconds(3)])
        list.set([cue("next", 4, 5)], track: 2, unit: 1)
        let closed = list.cues(of: [2])
        #expect(closed.map(\.end) == [.seconds(4), .seconds(4), .seconds(5)])
        #expect(closed[0].id == open.id)
    }

    @Test("The farthest units are removed first if there are too many")
    func shrinking() {
        var list = CueList()
        for unit in 0..<200 { list.set([cue("\(unit)", Double(unit), nil)], track: 2, unit: unit) }
        list.shrink(to: list.byteCount / 2, keepingNear: 10, butFor: (2, 150))
        #expect(list.has(track: 2, unit: 10))
        #expect(!list.has(track: 2, unit: 199) && list.has(track: 2, unit: 150))
        list.shrink(to: list.byteCount / 10, keepingNear: 10, butFor: (2, 150))
        #expect(list.units(of: 2).allSatisfy { abs($0 - 10) <= 10 || $0 == 150 })
        list.shrink(to: 0, keepingNear: 10, butFor: (2, 150))
        #expect(list.units(of: 2) == [150])
    }

    @Test("Pending cues count towards the memory used until they are returned")
    func weighing() {
        var stream = CueStream()
        stream.add([cue("a", 1, 2), cue("b", 3, 4), cue("a", 1, 2)])
        #expect(stream.byteCount == cue("a", 1, 2).weight + cue("b", 3, 4).weight)
        _ = stream.settled(before: .seconds(2))
        #expect(stream.byteCount == cue("b", 3, 4).weight)
    }

    @Test("Nearly ordered cues are returned in order, each once")
    func streaming() {
        var stream = CueStream()
        stream.add([cue("c", 3, 4), cue("a", 1, 2)])
        #expect(plain(stream.settled(before: .seconds(2))) == ["a"])
        stream.add([cue("b", 2, 3), cue("a", 1, 2)])
        #expect(plain(stream.settled(before: .seconds(3))) == ["b"])
        stream.add([cue("d", 5, nil), cue("e", 6, 7)])
        #expect(plain(stream.settled(before: .seconds(6))) == ["c", "d"])
        #expect(plain(stream.finish()) == ["e"])
    }

    private func picture(_ start: Double, _ end: Double?, at x: Double = 0) -> Cue {
        let (corner, extent) = (CuePosition(x: x, y: 0), CuePosition(x: 0.1, y: 0.1))
        let image = CueImage(
            png: [1],
            width: 1,
            height: 1,
            corner: corner,
            extent: extent,
            canvasWidth: 10,
            canvasHeight: 10
        )
        return Cue(track: 3, start: .seconds(start), end: end.map { .seconds($0) }, content: .image(image))
    }

    private func nothing(_ time: Double) -> Cue {
        Cue(track: 3, start: .seconds(time), end: .seconds(time), content: .nothing)
    }

    private func times(_ cues: [Cue]) -> [[Double]] { cues.map { [$0.start.seconds, $0.end?.seconds ?? -1] } }

    @Test("Images end with the next display set, even an empty one; those of one set stay together")
    func displaySets() {
        var list = CueList()
        list.set([picture(1, nil), picture(1, 30, at: 0.5)], track: 3, unit: 0)
        list.set([nothing(3), picture(7, 9)], track: 3, unit: 1)
        list.set([picture(12, 30), nothing(31), picture(40, nil)], track: 3, unit: 2)
        #expect(times(list.cues(of: [3])) == [[1, 3], [1, 3], [7, 9], [12, 30], [40, -1]])
        var part = list
        part.remove(track: 3, unit: 1)
        #expect(times(part.cues(of: [3])) == [[1, 12], [1, 12], [12, 30], [40, -1]])
    }

    @Test("An image is held back until nothing can end it earlier")
    func streamOfPictures() {
        var stream = CueStream()
        stream.add([picture(1, 30)])
        #expect(stream.settled(before: .seconds(20)).isEmpty)
        stream.add([nothing(24)])
        #expect(stream.settled(before: .seconds(23)).isEmpty)
        #expect(times(stream.settled(before: .seconds(25))) == [[1, 24]])
        stream.add([picture(26, nil), nothing(28)])
        #expect(times(stream.finish()) == [[26, 28]])
    }

    @Test("Text without an end lasts two minutes at most")
    func longText() {
        var list = CueList()
        list.set([cue("a", 0, nil), cue("b", 400, nil)], track: 2, unit: 0)
        #expect(times(list.cues(of: [2])) == [[0, 120], [400, -1]])
    }
}
