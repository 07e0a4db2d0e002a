// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Packaging
import Testing

@testable import Reading

@Suite("One clock for a source whose clock restarts")
struct DiscontinuityClockTests {
    private static let base = TimeBase(1, 1000)

    /// The clock restarts from 0 at byte 1000, and again at byte 2000; the first two parts last 10 s and 5 s.
    private func clock() -> DiscontinuityClock {
        DiscontinuityClock(
            SegmentPlan(
                timeBase: Self.base,
                origin: .index,
                jumps: [
                    ClockJump(firstSegment: 2, position: 1000, offset: 10_000, start: 10_000),
                    ClockJump(firstSegment: 3, position: 2000, offset: 15_000, start: 15_000),
                ]
            )
        )
    }

    @Test(
        "a packet belongs to the part at its position, and is dropped if its time is in another part",
        arguments: [
            (500, 9000, 9000), (999, 10_000, nil), (1000, 0, 10_000), (1500, -1, nil), (1999, 4999, 14_999),
            (1999, 5000, nil), (2000, 0, 15_000), (9999, 70_000, 85_000),
        ] as [(Int64, Int64, Int64?)]
    )
    func sides(position: Int64, time: Int64, expected: Int64?) {
        var clock = clock()
        let packet = Packet([1], stream: 0, pts: time, dts: time - 80, position: position)
        let placed = clock.placed(packet, streamBase: Self.base)
        #expect(placed?.pts == expected)
        #expect(placed?.dts == expected.map { $0 - 80 })
        var other = self.clock()
        let moved = other.placed(
            Packet([1], stream: 1, dts: time * 90, position: position),
            streamBase: TimeBase(1, 90_000)
        )
        #expect(moved?.dts == expected.map { $0 * 90 })
    }

    @Test("a packet without a position is at the position of its stream's last packet, or where reading continued")
    func positions() {
        var clock = clock()
        func time(_ stream: Int, at position: Int64?) -> Int64? {
            clock.placed(Packet([1], stream: stream, pts: 100, position: position), streamBase: Self.base)?.pts
        }
        let found = [time(0, at: nil), time(0, at: 1200), time(0, at: nil), time(1, at: nil)]
        #expect(found == [100, 10_100, 10_100, 100])
        clock.enter(at: 2500)
        let later = time(0, at: nil)
        #expect(later == 15_100)
    }

    @Test("33-bit times are completed from the boundary before them, wherever reading begins")
    func wraps() {
        let base = TimeBase.hertz(90_000)
        let hour: Int64 = 3600 * 90_000
        let boundaries = (0..<100).map { number in
            Keyframe(time: 20 * hour + Int64(number) * hour, seekTimestamp: 0, position: Int64(number) * 1000)
        }
        let plan = SegmentPlan(timeBase: base, boundaries: boundaries, origin: .scan)
        var linear = DiscontinuityClock(plan, wraps: true)
        for (number, boundary) in boundaries.enumerated() {
            var entered = DiscontinuityClock(plan, wraps: true)
            entered.enter(at: boundary.position)
            for step in [Int64(0), 3600, -7200] where number > 0 {
                let raw = (boundary.time + step) % (1 << 33)
                let packet = Packet([1], stream: 0, pts: raw, dts: raw - 3600, position: boundary.position)
                let found = [
                    linear.placed(packet, streamBase: base)?.pts, entered.placed(packet, streamBase: base)?.pts,
                ]
                #expect(found == [boundary.time + step, boundary.time + step])
            }
        }
    }

    @Test(
        "where some packets of other streams still use the old clock, only the video is on the new one",
        arguments: [(999, 9000, 9000), (1000, 0, nil), (1499, 9990, nil), (1500, 500, 10_500)]
            as [(Int64, Int64, Int64?)]
    )
    func lateStreams(position: Int64, time: Int64, expected: Int64?) {
        let jump = ClockJump(firstSegment: 2, position: 1000, offset: 10_000, start: 10_000, lastChange: 1500)
        var clock = DiscontinuityClock(SegmentPlan(timeBase: Self.base, origin: .index, jumps: [jump]))
        let sound = Packet([1], stream: 1, pts: time, dts: time, position: position)
        let placed = clock.placed(sound, streamBase: Self.base, isVideo: false)
        #expect(placed?.pts == expected)
        let picture = Packet([1], stream: 0, pts: time, dts: time, position: position)
        let shown = clock.placed(picture, streamBase: Self.base)
        #expect(shown?.pts == (position < 1000 ? time : time + 10_000))
    }

    @Test("packets without times, or of a source without restarts, stay as they are")
    func unchanged() {
        var clock = clock()
        let untimed = clock.placed(Packet([1], stream: 0, position: 1500), streamBase: Self.base)
        #expect(untimed != nil)
        let packet = Packet([1], stream: 0, pts: 7, position: 1500)
        var plain = DiscontinuityClock(SegmentPlan(timeBase: Self.base, origin: .index))
        let same = plain.placed(packet, streamBase: Self.base)
        #expect(same?.pts == 7)
        let jump = ClockJump(firstSegment: 1, position: 0, offset: 3, start: 0)
        plain.follow(SegmentPlan(timeBase: Self.base, origin: .index, jumps: [jump]))
        let moved = plain.placed(packet, streamBase: Self.base)
        #expect(moved?.pts == 10)
    }
}
