// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reading

@Suite("video that is declared interlaced", .timeLimit(.minutes(10)))
struct FieldWatchTests {
    private func verdict(_ frames: [Bool]) -> FieldWatch.Verdict {
        var watch = FieldWatch()
        for isInterlaced in frames { watch.note(isInterlaced: isInterlaced) }
        return watch.finish()
    }

    @Test("is interlaced if a single frame is marked interlaced")
    func interlaced() { #expect(verdict([false, false, true]) == .interlaced) }

    @Test("is progressive if enough frames are not marked interlaced", arguments: [12, 40, 100])
    func progressive(count: Int) { #expect(verdict(Array(repeating: false, count: count)) == .progressive) }

    @Test("is interlaced if there are too few frames to tell", arguments: [0, 11])
    func few(count: Int) { #expect(verdict(Array(repeating: false, count: count)) == .interlaced) }

    @Test("is decided after 40 frames")
    func bounds() {
        var watch = FieldWatch()
        for _ in 0..<39 { watch.note(isInterlaced: false) }
        #expect(watch.verdict == .undecided)
        watch.note(isInterlaced: false)
        #expect(watch.verdict == .progressive)
    }
}
