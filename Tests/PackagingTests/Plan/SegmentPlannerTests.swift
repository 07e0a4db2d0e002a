// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite("Choosing segment boundaries")
struct SegmentPlannerTests {
    private let milliseconds = TimeBase.hertz(1000)

    /// Keyframes at the given seconds, with `bytesASecond` of media between them.
    private func keyframes(_ seconds: [Double], bytesASecond: Double = 1_000_000) -> [Keyframe] {
        seconds.map { second in
            let time = Int64((second * 1000).rounded())
            return Keyframe(time: time, seekTimestamp: time, position: Int64(second * bytesASecond))
        }
    }

    private func plan(_ seconds: [Double], end: Double, bytesASecond: Double = 1_000_000) -> [Double] {
        let limits = SegmentPlanner.Limits(target: .seconds(4), timeBase: milliseconds)
        return SegmentPlan(
            keyframes: keyframes(seconds, bytesASecond: bytesASecond),
            end: Int64(end * 1000),
            limits: limits,
            timeBase: milliseconds,
            origin: .index
        ).boundaries.map { Double($0.time) / 1000 }
    }

    @Test("cuts at the first keyframe at or after each point of a fixed grid")
    func grid() {
        let every = stride(from: 0.0, to: 20, by: 0.5).map { $0 }
        #expect(plan(every, end: 20) == [0, 4, 8, 12, 16])
        #expect(plan([0, 3, 6, 9, 12, 15], end: 18) == [0, 6, 9, 12])
        #expect(plan(stride(from: 0.0, to: 48, by: 12).map { $0 }, end: 48) == [0, 12, 24, 36])
    }

    @Test("counts the grid from the first keyframe, wherever it is")
    func anchor() {
        #expect(plan([11.6, 13.6, 15.6, 17.6, 19.6], end: 21.6) == [11.6, 15.6, 19.6])
    }

    @Test("leaves no sliver: neither between two close keyframes nor at the end")
    func slivers() {
        #expect(plan([0, 7.9, 8.0, 9.5, 12], end: 16) == [0, 7.9, 9.5, 12])
        #expect(plan([0, 4, 8], end: 8.4) == [0, 4])
        #expect(plan([0, 4, 8], end: 9.4) == [0, 4, 8])
        #expect(plan([0, 7, 8, 12], end: 13) == [0, 7, 8, 12], "one second, the minimum, is not a sliver")
    }

    @Test("cuts earlier if a segment would hold too many bytes, but only at keyframes")
    func bytes() {
        let every = stride(from: 0.0, to: 12, by: 1).map { $0 }
        #expect(plan(every, end: 12, bytesASecond: 12_000_000) == [0, 2, 4, 6, 8, 10])
        #expect(plan([0, 10], end: 12, bytesASecond: 12_000_000) == [0, 10])
        #expect(
            plan(every, end: 12, bytesASecond: 16_777_216) == [0, 2, 4, 6, 8, 10],
            "two seconds are exactly the limit"
        )
    }

    @Test("gives a scan the same boundaries as an index, and never withdraws one", arguments: 0..<40)
    func monotone(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var time = 0.0
        var seconds: [Double] = []
        for _ in 0..<60 {
            seconds.append(time)
            time += Double.random(in: 0.1...7, using: &generator)
        }
        var planner = SegmentPlanner(limits: .init(target: .seconds(4), timeBase: milliseconds))
        var announced: [Keyframe] = []
        for keyframe in keyframes(seconds) {
            planner.add(keyframe)
            #expect(planner.boundaries.starts(with: announced))
            announced = planner.boundaries
        }
        planner.finish(end: Int64(time * 1000))
        #expect(planner.boundaries.starts(with: announced))
        #expect(planner.boundaries.map { Double($0.time) / 1000 } == plan(seconds, end: time))
    }

    @Test("cuts at a configuration change, wherever it is, and leaves no sliver before it")
    func changes() {
        let every = keyframes(stride(from: 0.0, to: 12, by: 0.5).map { $0 })
        let limits = SegmentPlanner.Limits(target: .seconds(4), timeBase: milliseconds)
        let plan = SegmentPlan(
            keyframes: every,
            end: 12_000,
            limits: limits,
            timeBase: milliseconds,
            origin: .index,
            configuration: { $0.time < 4500 ? [1] : $0.time < 10_000 ? [2] : [1] }
        )
        #expect(plan.boundaries.map(\.time) == [0, 4500, 8000, 10_000])
        #expect(plan.changes.map(\.firstSegment) == [1, 3])
        #expect(plan.changes.map(\.privateData) == [[2], [1]])
        #expect((0..<4).map { plan.version(of: $0) } == [0, 1, 1, 2])
        var planner = SegmentPlanner(limits: limits)
        planner.add(every[0])
        planner.add(every[4])
        #expect(planner.cut(at: every[4]) == nil)
        #expect(planner.cut(at: every[5]) == 1)
    }

    @Test("gives the byte range of segments if the positions of boundaries reveal it")
    func ranges() {
        func plan(_ bytesASecond: Double, bitRate: Int64? = nil) -> SegmentPlan {
            SegmentPlan(
                timeBase: milliseconds,
                boundaries: keyframes([0, 4, 8, 12], bytesASecond: bytesASecond),
                end: 16_000,
                origin: .index,
                bitRate: bitRate
            )
        }
        let slow = plan(1000)
        #expect(slow.bytes(ofSegments: 1...1) == 4000..<8500)
        #expect(slow.bytes(ofSegments: 0...2) == 0..<13_500)
        // No boundary gives the end of the last segment.
        #expect(slow.bytes(ofSegments: 3...3) == nil)
        #expect(plan(1000, bitRate: 8000).bytes(ofSegments: 1...1) == nil)
        #expect(plan(4_000_000).bytes(ofSegments: 1...1) != nil && plan(5_000_000).bytes(ofSegments: 1...1) == nil)
    }

    @Test("a keyframe that is added twice counts once")
    func twice() {
        var planner = SegmentPlanner(limits: .init(target: .seconds(4), timeBase: milliseconds))
        for keyframe in keyframes([0, 0, 2, 2]) { planner.add(keyframe) }
        #expect(planner.keyframes.times == [0, 2000])
    }

    @Test("a segment that a scan has not closed yet is not announced, nor a change or a break at its start")
    func announced() {
        var plan = SegmentPlan(timeBase: milliseconds, boundaries: keyframes([0, 4, 8]), origin: .scan)
        plan.changes = [ConfigurationChange(firstSegment: 2, privateData: [])]
        plan.jumps = [ClockJump(firstSegment: 2, position: 0, offset: 0, start: 0)]
        #expect(plan.announcedChanges.isEmpty && plan.announcedDiscontinuities.isEmpty)
        plan.end = 12_000
        #expect(plan.announcedChanges.count == 1 && plan.announcedDiscontinuities == [2])
    }

    @Test("positions give the size of a segment if they are ascending")
    func byteCounts() {
        let plan = SegmentPlan(
            timeBase: milliseconds,
            boundaries: [5, 9, 9, 7].map { Keyframe(time: 0, seekTimestamp: 0, position: $0) },
            end: 1,
            origin: .index
        )
        #expect((-1...4).map { plan.byteCount(of: $0, fileSize: 20) } == [nil, 4, nil, nil, 13, nil])
    }

    @Test("a bit rate gives the size of a segment by its duration")
    func byteCountsByRate() {
        let plan = SegmentPlan(
            timeBase: milliseconds,
            boundaries: keyframes([0, 4]),
            end: 6000,
            origin: .index,
            bitRate: 8000
        )
        #expect((0...2).map { plan.byteCount(of: $0, fileSize: 20) } == [4000, 2000, nil])
    }

    @Test("an earlier process may have announced more segments than it noted")
    func announcedEarlier() {
        #expect([0, 1, 7].map { SegmentPlan.announced(afterNoting: $0) } == [0, 101, 107])
    }

    @Test("finds the segment that contains a time, and clamps")
    func lookup() {
        let boundaries = keyframes([1, 5, 9])
        let plan = SegmentPlan(timeBase: milliseconds, boundaries: boundaries, end: 12_000, origin: .index)
        #expect([0, 1000, 4999, 5000, 11_999, 99_000].map { plan.segment(at: $0) } == [0, 0, 0, 1, 2, 2])
        let growing = SegmentPlan(timeBase: milliseconds, boundaries: boundaries, origin: .scan)
        #expect(growing.segmentCount == 2)
        #expect(growing.segment(at: 99_000) == 1)
        #expect(growing.endTime(of: 2) == nil)
    }
}
