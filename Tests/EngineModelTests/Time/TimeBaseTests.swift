// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineModel

@Suite("Rescaling time")
struct TimeBaseTests {
    @Test(
        "rounds as requested, including negative values",
        arguments: [
            (5, TimeBase.Rounding.down, 0), (5, .nearest, 1), (5, .up, 1), (-5, .down, -1), (-5, .nearest, 0),
            (-5, .up, 0),
            (4, .nearest, 0), (-6, .nearest, -1),
        ]
    )
    func rounding(ticks: Int64, rounding: TimeBase.Rounding, expected: Int64) {
        #expect(TimeBase.hertz(10).rescale(ticks, to: .hertz(1), rounding: rounding) == expected)
    }

    @Test("is exact where 64 bits are not enough, and saturates where the answer does not fit")
    func large() {
        #expect(TimeBase.nanoseconds.rescale(.max, to: .microseconds) == 9_223_372_036_854_776)
        #expect(TimeBase.hertz(1).rescale(.max, to: .nanoseconds) == .max)
        #expect(TimeBase.hertz(1).rescale(.min, to: .nanoseconds) == .min)
    }

    @Test("converting to a finer time base and back gives the same tick")
    func roundTrip() {
        for ticks in stride(from: Int64(-500_000), to: 500_000, by: 777) {
            let time = MediaTime(ticks, in: .hertz(90_000))
            #expect(time.ticks(in: .hertz(90_000)) == ticks)
        }
    }
}
