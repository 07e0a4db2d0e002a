// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Steps between chapters", .timeLimit(.minutes(10)))
struct ChapterStepTests {
    private let chapters = [
        Chapter(start: .zero, end: .seconds(60), title: "one"),
        Chapter(start: .seconds(60), end: .seconds(120), title: "two"),
        Chapter(start: .seconds(120), end: .seconds(180), title: "three"),
    ]

    @Test(
        "next goes to the next chapter; previous to the one before, or after 3 s to the start of the current one",
        arguments: [
            (ChapterStep.next, 10.0, 60.0), (.next, 60, 120), (.next, 130, nil), (.previous, 1, 0), (.previous, 30, 0),
            (.previous, 62, 0), (.previous, 63, 0), (.previous, 63.5, 60), (.previous, 170, 120), (.previous, 121, 60),
        ] as [(ChapterStep, Double, Double?)]
    )
    func steps(step: ChapterStep, from: Double, to: Double?) {
        #expect(chapters.target(step, from: .seconds(from)) == to.map { MediaTime.seconds($0) })
    }

    @Test("without chapters there is no target")
    func none() {
        #expect([Chapter]().target(.next, from: .zero) == nil)
        #expect([Chapter]().target(.previous, from: .zero) == nil)
        #expect([Chapter]().index(at: .zero) == nil)
        #expect([Chapter]().boundary(after: .zero) == nil)
    }

    @Test("where chapters overlap, the one that starts last is current; between chapters there is none")
    func overlaps() {
        let nested = chapters + [Chapter(start: .seconds(30), end: .seconds(40), title: "inside")]
        #expect(nested.index(at: .seconds(35)) == 3)
        #expect(nested.index(at: .seconds(45)) == 0)
        #expect(nested.index(at: .seconds(180)) == nil)
        #expect(nested.boundary(after: .seconds(30)) == .seconds(40))
        #expect(nested.boundary(after: .seconds(180)) == nil)
    }
}
