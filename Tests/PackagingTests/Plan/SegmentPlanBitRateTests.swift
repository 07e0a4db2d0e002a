// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("The least bit rate of a track")
struct SegmentPlanBitRateTests {
    private func rate(_ frames: [(time: Int64, byteCount: Int)], isComplete: Bool = true) -> Double {
        SegmentPlan(
            timeBase: .hertz(1000),
            boundaries: [0, 4000, 6000].map { Keyframe(time: $0, seekTimestamp: $0, position: $0) },
            end: isComplete ? 8000 : nil,
            origin: .index
        ).leastBitRate(of: frames)
    }

    @Test("it is that of the segment with the fewest bytes for its length")
    func least() {
        #expect(rate([(-20, 100), (3999, 900), (4000, 400), (6000, 600)]) == 1600)
        #expect(rate([(0, 1000), (5000, 1000), (9000, 100)]) == 400)
    }

    @Test("it is 0 if a segment has no frame, or the plan is not complete")
    func none() {
        #expect(rate([(0, 1000), (6500, 1000)]) == 0)
        #expect(rate([]) == 0)
        #expect(rate([(0, 1000), (4000, 1000), (6000, 1000)], isComplete: false) == 0)
    }
}
