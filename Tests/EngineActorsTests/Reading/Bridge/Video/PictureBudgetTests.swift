// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reading

@Suite("The size of segments of video without a buffer model")
struct PictureBudgetTests {
    /// 4 s at 1 Mbit/s, and one second that the buffer holds.
    private let budget = PictureBudget(bufferSize: 1_000_000, bitRate: 1_000_000, seconds: 4, worst: 63)

    private func lower(_ used: Int, done: Int = 100, than quality: Int = 26) -> Int? {
        budget.lowerQuality(than: quality, used: used, done: done, of: 100)
    }

    @Test("a segment that fits is kept")
    func fits() {
        #expect(budget.bits == 5_000_000)
        #expect(lower(5_000_000) == nil && lower(0, done: 0) == nil && lower(5_000_000, done: 1) == nil)
    }

    @Test("a segment that is too large is encoded again with a quality that follows from its expected size")
    func tooLarge() {
        #expect(lower(5_000_001) == 34 && lower(10_000_000) == 34 && lower(10_000_100) == 42)
        // After half the segment, twice as much is expected.
        #expect(lower(5_000_050, done: 50) == 42 && lower(10_000_050, done: 50) == 50)
    }

    @Test("the worst quality ends the attempts")
    func worst() {
        #expect(lower(1 << 40) == 63 && lower(5_000_001, than: 60) == 63 && lower(1 << 40, than: 63) == nil)
    }

    @Test("times of a damaged file do not overflow")
    func damaged() {
        for seconds in [1e300, -1, .infinity] {
            let budget = PictureBudget(bufferSize: 8, bitRate: 300_000_000, seconds: seconds, worst: 63)
            #expect(budget.bits >= 8 && budget.lowerQuality(than: 20, used: 7, done: 1, of: 9) == nil)
        }
    }
}
