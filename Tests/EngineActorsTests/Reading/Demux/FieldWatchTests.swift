// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Reading

@Suite("video that is declared interlaced", .timeLimit(.minutes(10)))
struct FieldWatchTests {
    private func verdict(_ pictures: [Bool]) -> FieldWatch.Verdict {
        var watch = FieldWatch()
        for picture in pictures { watch.note(isInterlaced: picture) }
        return watch.finish()
    }

    @Test("is interlaced if a single frame is marked so")
    func interlaced() { #expect(verdict([false, false, true]) == .interlaced) }

    @Test("is progressive if enough frames are not marked interlaced", arguments: [12, 40, 100])
    func progressive(count: Int) { #expect(verdict(Array(repeating: false, count: count)) == .progressive) }

    @Test("is interlaced if there are too few frames to tell", arguments: [0, 11])
    func few(count: Int) { #expect(verdict(Array(repeating: false, count: count)) == .interlaced) }

    @Test("is decided after 40 frames, or after a limit of packets or time")
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
