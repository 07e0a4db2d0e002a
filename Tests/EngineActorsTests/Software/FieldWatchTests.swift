// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import EngineActors

@Suite("what is declared to be interlaced", .timeLimit(.minutes(10)))
struct FieldWatchTests {
    private func verdict(_ pictures: [Bool]) -> FieldWatch.Verdict {
        var watch = FieldWatch()
        for picture in pictures { watch.note(isInterlaced: picture) }
        return watch.finish()
    }

    @Test("is so when one picture says it")
    func interlaced() { #expect(verdict([false, false, true]) == .interlaced) }

    @Test("is not when enough pictures do not", arguments: [12, 40, 100])
    func progressive(count: Int) { #expect(verdict(Array(repeating: false, count: count)) == .progressive) }

    @Test("is believed when too few tell", arguments: [0, 11])
    func few(count: Int) { #expect(verdict(Array(repeating: false, count: count)) == .interlaced) }

    @Test("is settled by forty pictures, packets or time")
    func bounds() {
        var watch = FieldWatch()
        #expect(watch.goesOn(packets: 599, elapsed: .seconds(2.9)))
        #expect(!watch.goesOn(packets: 600, elapsed: .zero))
        #expect(!watch.goesOn(packets: 0, elapsed: .seconds(3)))
        for _ in 0..<40 { watch.note(isInterlaced: false) }
        #expect(watch.verdict == .progressive)
        #expect(!watch.goesOn(packets: 0, elapsed: .zero))
    }
}
