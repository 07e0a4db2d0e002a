// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineActors

@Suite("What a few looks say of a film's clock", .timeLimit(.minutes(10)))
struct ClockSamplesTests {
    @Test(
        "it goes on, or it does not",
        arguments: [
            ([], false), ([5], false), ([0, 10, 20, 30], false),
            // Of uneven density.
            ([0, 10, 12, 60, 61], false),
            ([0, 0, 0], false),
            // It starts again, or leaps.
            ([0, 10, 20, 5, 15], true), ([20, 30, 0], true), ([0, 10, 20, 500, 510], true),
            ([.min, .max, 0], true), ([.max, .min], true),
        ] as [([Int64], Bool)]
    )
    func samples(times: [Int64], uneven: Bool) {
        #expect(ClockSamples.areUneven(times, minute: 100) == uneven)
    }
}
