// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct FrameRateTests {
    @Test(
        "A rate rounded by a container is restored; a non-standard rate is kept",
        arguments: [
            (Ratio(24_000, 1001), Ratio(24_000, 1001)), (Ratio(129_500, 5401), Ratio(24_000, 1001)),
            (Ratio(2398, 100), Ratio(24_000, 1001)), (Ratio(24, 1), Ratio(24, 1)), (Ratio(24_001, 1000), Ratio(24, 1)),
            (Ratio(90_000, 3001), Ratio(30, 1)), (Ratio(2997, 100), Ratio(30_000, 1001)),
            (Ratio(47_952, 1000), Ratio(48_000, 1001)), (Ratio(48, 1), Ratio(48, 1)),
            (Ratio(50_001, 1000), Ratio(50, 1)), (Ratio(19_001, 317), Ratio(60_000, 1001)),
            (Ratio(119_880, 1000), Ratio(120_000, 1001)), (Ratio(5400, 179), Ratio(5400, 179)),
            (Ratio(15, 1), Ratio(15, 1)), (Ratio(15_003, 1000), Ratio(15, 1)), (Ratio(0, 1), Ratio(0, 1)),
            (Ratio(1, 0), Ratio(1, 0)),
        ] as [(Ratio, Ratio)]
    )
    func snapped(_ rate: Ratio, _ expected: Ratio) { #expect(FrameRate.snapped(rate) == expected) }
}
