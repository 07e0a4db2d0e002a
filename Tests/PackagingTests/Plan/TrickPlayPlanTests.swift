// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Keyframes for trick play", .timeLimit(.minutes(10)))
struct TrickPlayPlanTests {
    private let milliseconds = TimeBase.hertz(1000)

    private func keyframe(_ time: Int64) -> Keyframe {
        Keyframe(time: time, seekTimestamp: time - 80, position: time * 9)
    }

    private func planner() -> SegmentPlanner {
        SegmentPlanner(limits: .init(target: .seconds(4), timeBase: milliseconds))
    }

    private func plan(every step: Int64, until end: Int64) -> SegmentPlan {
        SegmentPlan(
            keyframes: stride(from: 0, to: end, by: Int64.Stride(step)).map(keyframe),
            end: end,
            limits: .init(target: .seconds(4), timeBase: milliseconds),
            timeBase: milliseconds,
            origin: .index
        )
    }

    @Test(
        "are those that start segments, and others about a second apart",
        arguments: [
            (40, 8000, [0, 920, 1840, 2760, 4000, 4600, 5520, 6440, 7360]),
            // A keyframe may be as near as half an interval to either end of its segment.
            (450, 8000, [0, 900, 1800, 2700, 3600, 4050, 4500, 5400, 6300, 7200]),
            (480, 8000, [0, 960, 1920, 2880, 3840, 4320, 4800, 5760, 6720]),
            (1000, 8000, [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000]), (2000, 9000, [0, 2000, 4000, 6000, 8000]),
            (5000, 20_000, [0, 5000, 10_000, 15_000]), (20_000, 20_000, [0]),
        ] as [(Int64, Int64, [Int64])]
    )
    func spacing(step: Int64, end: Int64, expected: [Int64]) {
        let coarse = plan(every: step, until: end)
        let fine = coarse.trickPlayPlan
        #expect(fine.boundaries.map(\.time) == expected)
        #expect(fine.boundaries.allSatisfy { $0 == keyframe($0.time) })
        #expect(fine.end == end && Set(coarse.boundaries).isSubset(of: fine.boundaries))
        #expect(fine.trickPlayPlan == fine)
    }

    @Test(
        "do not change once announced while a scan is running",
        arguments: [40, 240, 500, 990, 1700, 3000] as [Int64]
    )
    func growth(step: Int64) {
        var planner = planner()
        var announced: ArraySlice<Keyframe> = []
        for time in stride(from: 0, to: Int64(60_000), by: Int64.Stride(step)) {
            planner.add(keyframe(time))
            let fine = SegmentPlan(
                timeBase: milliseconds,
                boundaries: planner.boundaries,
                origin: .scan,
                trickPlayKeyframes: planner.trickPlayKeyframes
            ).trickPlayPlan
            let now = fine.boundaries.prefix(fine.segmentCount)
            #expect(now.starts(with: announced))
            announced = now
        }
        #expect(announced.count > 5)
        #expect(plan(every: step, until: 60_000).trickPlayPlan.boundaries.starts(with: announced))
    }

    @Test("carry the configuration changes and clock jumps of their segments")
    func places() {
        var coarse = plan(every: 1000, until: 12_000)
        coarse.changes = [.init(firstSegment: 1, privateData: [7])]
        coarse.jumps = [ClockJump(firstSegment: 2, position: 3, offset: 4, start: 5)]
        let fine = coarse.trickPlayPlan
        #expect(fine.changes == [.init(firstSegment: 4, privateData: [7])])
        #expect(fine.jumps == [ClockJump(firstSegment: 8, position: 3, offset: 4, start: 5)])
        // An unannounced change comes after all announced segments.
        coarse.changes = [.init(firstSegment: 5, privateData: [7])]
        #expect(coarse.trickPlayPlan.changes.map(\.firstSegment) == [14])
    }

    @Test("may be exactly one interval apart")
    func interval() {
        var planner = planner()
        let interval = SegmentPlan.trickPlayInterval.ticks(in: milliseconds)
        for time in [0, interval - 1, interval, 2 * interval] { planner.add(keyframe(time)) }
        #expect(planner.trickPlayKeyframes.map(\.time) == [0, interval, 2 * interval])
    }

    @Test("are limited in number")
    func bound() {
        let hours = Int64(SegmentPlan.trickPlayLimit + 5000) * 1000
        let coarse = plan(every: 1000, until: hours)
        #expect(coarse.trickPlayKeyframes.count == SegmentPlan.trickPlayLimit)
        #expect(coarse.trickPlayPlan.boundaries.last?.time == coarse.boundaries.last?.time)
    }
}
