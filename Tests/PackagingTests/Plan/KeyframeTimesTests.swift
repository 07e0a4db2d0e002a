// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Keyframe times")
struct KeyframeTimesTests {
    @Test(
        "finds the last one at or before a time",
        arguments: [(0, nil), (9, nil), (10, 10), (19, 10), (20, 20), (99, 30)]
    )
    func lookup(time: Int64, expected: Int64?) throws {
        let times = try #require(KeyframeTimes([10, 20, 30]))
        #expect(times.last { $0 <= time } == expected)
        #expect(KeyframeTimes().last { $0 <= time } == nil)
    }

    @Test("keeps a bounded number, evenly thinned, however many there are", arguments: [1, 2, 3, 5])
    func bounded(factor: Int64) throws {
        let count = Int64(KeyframeTimes.limit) * factor + 7
        let kept = try #require(KeyframeTimes((0..<count).map { $0 * 10 })).times
        #expect(kept.count <= KeyframeTimes.limit && kept.count > KeyframeTimes.limit / 2)
        #expect(kept.first == 0)
        let steps = Set(zip(kept, kept.dropFirst()).map { $1 - $0 })
        #expect(steps.count == 1, "\(steps)")
        #expect(count * 10 - (kept.last ?? 0) <= 10 * 16)
    }

    @Test("rejects times that are not ascending", arguments: [[3, 3], [3, 2], [1, 5, 4]] as [[Int64]])
    func order(times: [Int64]) { #expect(KeyframeTimes(times) == nil) }

    @Test("A plan knows the keyframes between its boundaries, even if the configuration changes")
    func plan() {
        let milliseconds = TimeBase.hertz(1000)
        let keyframes = (0..<20).map { Keyframe(time: $0 * 500, seekTimestamp: $0 * 500, position: $0 * 1000) }
        let limits = SegmentPlanner.Limits(target: .seconds(4), timeBase: milliseconds)
        let plan = SegmentPlan(
            keyframes: keyframes,
            end: 10_000,
            limits: limits,
            timeBase: milliseconds,
            origin: .index,
            configuration: { $0.time < 3000 ? [1] : [2] }
        )
        #expect(plan.boundaries.count < keyframes.count)
        #expect(plan.keyframes.times == keyframes.map(\.time))
    }
}
