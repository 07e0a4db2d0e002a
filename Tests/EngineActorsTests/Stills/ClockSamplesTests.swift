// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Stills

@Suite("Detecting clock jumps from a few samples", .timeLimit(.minutes(10)))
struct ClockSamplesTests {
    @Test(
        "an even clock passes, a clock that restarts or jumps is detected",
        arguments: [
            ([], false), ([5], false), ([0, 10, 20, 30], false),
            // An even clock with an uneven bit rate.
            ([0, 10, 12, 60, 61], false),
            ([0, 0, 0], false),
            // The clock restarts or jumps.
            ([0, 10, 20, 5, 15], true), ([20, 30, 0], true), ([0, 10, 20, 500, 510], true),
            ([.min, .max, 0], true), ([.max, .min], true),
        ] as [([Int64], Bool)]
    )
    func samples(times: [Int64], uneven: Bool) {
        #expect(ClockSamples.areUneven(times, minute: 100) == uneven)
    }
}
