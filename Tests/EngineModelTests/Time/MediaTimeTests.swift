// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Times in microseconds")
struct MediaTimeTests {
    @Test(
        "seconds are rounded to microseconds, and saturated",
        arguments: [
            (0, 0), (1.5, 1_500_000), (-2.000_000_4, -2_000_000), (0.000_000_6, 1), (1e300, .max), (-1e300, .min),
            (.infinity, .max), (-.infinity, .min), (9_223_372_036_854.775_807, .max),
        ] as [(Double, Int64)]
    )
    func seconds(_ seconds: Double, _ microseconds: Int64) {
        #expect(MediaTime.seconds(seconds).microseconds == microseconds)
    }

    @Test("a time of NaN seconds stops the process")
    func notANumber() async {
        await #expect(processExitsWith: .failure) { _ = MediaTime.seconds(.nan) }
    }
}
