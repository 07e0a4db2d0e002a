// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("the durations of frames", .timeLimit(.minutes(10)))
struct FrameSpacingTests {
    private func milliseconds(_ count: Int64) -> MediaTime { MediaTime(microseconds: count * 1000) }

    private func spaced(_ times: [Int64], target: Int64?) -> [[Int64]] {
        var spacing = FrameSpacing<Int>(target: target.map(milliseconds), usual: milliseconds(40))
        var found: [FrameSpacing<Int>.Spaced] = []
        for (number, time) in times.enumerated() {
            if let next = spacing.add(number, at: milliseconds(time), lasting: nil) { found.append(next) }
        }
        if let last = spacing.finish() { found.append(last) }
        return found.map { [Int64($0.frame), $0.time.microseconds, $0.duration.microseconds] }
    }

    @Test("are the distances to the next frame; the last frame has the usual duration")
    func durations() {
        #expect(spaced([0, 40, 100], target: nil) == [[0, 0, 40_000], [1, 40_000, 60_000], [2, 100_000, 40_000]])
    }

    @Test(
        "frames that end by the target time are dropped",
        arguments: [(40, 1), (99, 1), (100, 2), (1000, 2)] as [(Int64, Int64)]
    )
    func target(time: Int64, first: Int64) {
        #expect(spaced([0, 40, 100], target: time).first?.first == first)
    }

    @Test("are above zero even if times do not increase")
    func equal() {
        #expect(spaced([0, 0, -50], target: nil) == [[0, 0, 1], [1, 1, 1], [2, 2, 40_000]])
    }

    @Test("are above zero even between the smallest and the largest time")
    func endsOfTime() {
        var spacing = FrameSpacing<Int>(target: nil, usual: milliseconds(40))
        let none = spacing.add(0, at: MediaTime(microseconds: .min), lasting: nil)
        #expect(none == nil)
        let first = spacing.add(1, at: MediaTime(microseconds: .max), lasting: nil)
        #expect(first?.duration == MediaTime(microseconds: .max))
    }

    @Test("account for a corrected time of the first frame")
    func moved() {
        var spacing = FrameSpacing<Int>(target: nil, usual: milliseconds(40))
        let none = spacing.add(0, at: .zero, lasting: nil)
        #expect(none == nil)
        let first = spacing.add(1, at: milliseconds(120), lasting: nil, earlier: milliseconds(80))
        #expect(first?.time == milliseconds(80))
        #expect(first?.duration == milliseconds(40))
    }
}
