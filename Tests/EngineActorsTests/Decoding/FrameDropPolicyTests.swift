// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Decoding

@Suite("what a decoder skips when frames are late", .timeLimit(.minutes(10)))
struct FrameDropPolicyTests {
    @Test(
        "starts with what costs the least quality",
        arguments: [
            (-1, .everything), (0.01, .everything), (0.03, .rough), (0.1, .withoutUnreferenced),
            (0.5, .withoutBidirectional), (2, .keyframes),
        ] as [(Double, FrameDropPolicy.Step)]
    )
    func steps(late: Double, step: FrameDropPolicy.Step) {
        var policy = FrameDropPolicy()
        policy.note(late: .seconds(late))
        #expect(policy.step == step)
    }

    @Test("increases at once and decreases step by step")
    func recovery() {
        var policy = FrameDropPolicy()
        policy.note(late: .seconds(0.5))
        var steps: [FrameDropPolicy.Step] = []
        for _ in 0..<48 {
            policy.note(late: .zero)
            steps.append(policy.step)
        }
        #expect(steps.first == .withoutBidirectional)
        #expect(Set(steps).count == 4)
        #expect(steps.last == .everything)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 >= $1 })
    }

    @Test("stays the same while frames are slightly late")
    func hysteresis() {
        var policy = FrameDropPolicy()
        policy.note(late: .seconds(0.1))
        for _ in 0..<100 { policy.note(late: .seconds(0.01)) }
        #expect(policy.step == .withoutUnreferenced)
    }

    @Test("never decreases from one step to the next")
    func order() {
        #expect(
            zip(FrameDropPolicy.Step.allCases, FrameDropPolicy.Step.allCases.dropFirst()).allSatisfy {
                $0.skipping <= $1.skipping
            }
        )
    }
}
