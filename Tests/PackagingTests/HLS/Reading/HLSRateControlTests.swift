// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

@Suite struct HLSRateControlTests {
    private static let second: Int64 = 1_000_000_000

    struct Step {
        var estimate: Double?
        var isLate = false
        var barred: Set<Int> = []
        var now: Int64 = 0
        var rung: Int
        var reason: HLSRateControl.Reason
    }

    @Test(
        "The next rung follows from the estimate, from late segments and from the last change",
        arguments: [
            [Step(rung: 1, reason: .unmeasured)],
            [Step(estimate: 2200, rung: 1, reason: .fits)],
            // 2000 of 2106 is just below the ceiling, and 2000 of 2105 just above.
            [Step(estimate: 2106, rung: 1, reason: .fits), Step(estimate: 2105, rung: 0, reason: .tooFast)],
            [Step(estimate: 100, rung: 0, reason: .tooFast), Step(estimate: 100, now: 9, rung: 0, reason: .tooFast)],
            // 4000 of 5000 leaves room, 4000 of 4999 does not.
            [Step(estimate: 5000, rung: 2, reason: .roomAbove)],
            [Step(estimate: 4999, rung: 1, reason: .fits)],
            // Up by one rung, even if more would fit; down as far as needed.
            [
                Step(estimate: 99_999, rung: 2, reason: .roomAbove),
                Step(estimate: 99_999, now: 7, rung: 2, reason: .justChanged),
                Step(estimate: 99_999, now: 8, rung: 3, reason: .roomAbove),
                Step(estimate: 1300, now: 9, rung: 0, reason: .tooFast),
                Step(estimate: 9000, now: 16, rung: 0, reason: .justChanged),
                Step(estimate: 9000, now: 17, rung: 1, reason: .roomAbove),
            ],
            // A late segment means one rung down, or more if the estimate says so.
            [Step(isLate: true, rung: 0, reason: .late)],
            [
                Step(estimate: 99_999, rung: 2, reason: .roomAbove),
                Step(estimate: 99_999, isLate: true, now: 3, rung: 2, reason: .justChanged),
                Step(estimate: 99_999, isLate: true, now: 4, rung: 1, reason: .late),
                Step(estimate: 99_999, isLate: true, now: 8, rung: 0, reason: .late),
                Step(estimate: 99_999, isLate: true, now: 12, rung: 0, reason: .late),
            ],
            [
                Step(estimate: 99_999, rung: 2, reason: .roomAbove),
                Step(estimate: 1300, isLate: true, now: 4, rung: 0, reason: .late),
            ],
            // Barred rungs are passed over.
            [Step(estimate: 100, barred: [0], rung: 1, reason: .tooFast)],
            [Step(estimate: 99_999, barred: [2], rung: 3, reason: .roomAbove)],
            [Step(estimate: 99_999, barred: [2, 3], rung: 1, reason: .fits)],
            [Step(isLate: true, barred: [0], rung: 1, reason: .late)],
        ]
    )
    func steps(_ steps: [Step]) {
        var control = HLSRateControl(bandwidths: [1000, 2000, 4000, 8000], start: 1)
        for step in steps {
            let now = step.now * Self.second
            let decision = control.decide(
                .init(estimate: step.estimate, isLate: step.isLate, barred: step.barred, now: now)
            )
            #expect(decision == HLSRateControl.Decision(rung: step.rung, reason: step.reason), "\(step)")
            if decision.rung != control.rung { control.change(to: decision.rung, now: now) }
        }
    }

    @Test("A bandwidth that alternates around a rung does not make the choice alternate")
    func calm() {
        var control = HLSRateControl(bandwidths: [1000, 2000, 4000], start: 0)
        var rungs: [Int] = []
        for load in 0..<20 {
            let now = Int64(load) * 4 * Self.second
            let decision = control.decide(.init(estimate: load.isMultiple(of: 2) ? 2300 : 2600, now: now))
            if decision.rung != control.rung { control.change(to: decision.rung, now: now) }
            rungs.append(control.rung)
        }
        #expect(Array(rungs.dropFirst()) == Array(repeating: 1, count: 19))
    }
}
