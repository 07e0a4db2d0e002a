// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Decode times of a segment")
struct VideoTimingTests {
    private func check(
        _ times: [Int64],
        next: Int64,
        lead: Int64 = 0,
        delay: Int64,
        isWhole: Bool = true
    ) -> [VideoTiming.Slot] {
        let slots = VideoTiming.slots(times: times, next: next, lead: lead, delay: delay, isWhole: isWhole)
        for (slot, time) in zip(slots, times) {
            #expect(slot.decodeTime + Int64(slot.compositionOffset) == time + lead + delay, "presentation is exact")
            #expect(slot.compositionOffset >= 0)
        }
        for (earlier, later) in zip(slots, slots.dropFirst()) {
            #expect(earlier.decodeTime + Int64(earlier.duration) == later.decodeTime, "no hole, no overlap")
        }
        if let last = slots.last { #expect(last.decodeTime + Int64(last.duration) == next + lead) }
        if let first = slots.first { #expect(first.decodeTime == (times.min() ?? 0) + lead) }
        return slots
    }

    @Test("equal the presentation times if nothing is reordered")
    func plain() {
        let slots = check([0, 40, 80, 120], next: 160, delay: 0)
        #expect(slots.map(\.decodeTime) == [0, 40, 80, 120])
        #expect(slots.allSatisfy { $0.duration == 40 && $0.compositionOffset == 0 })
    }

    @Test("continue into the next segment for B-pyramids, open GOPs and uneven frame durations")
    func reordered() {
        _ = check([0, 160, 80, 40, 120], next: 200, delay: 120)
        _ = check([200, 160, 180, 240, 220], next: 260, delay: 60)
        _ = check([0, 900, 40, 80, 950, 910], next: 1000, lead: 21, delay: 80)
        let slots = check([0, 300, 200, 10], next: 400, delay: 10)
        #expect(slots.map(\.decodeTime) == [0, 10, 19, 20], "each later than the one before")
    }

    @Test("let each sample last as long as its frame is shown, as far as the delay permits")
    func durations() {
        let slots = check([0, 600, 100, 140, 700, 640], next: 730, delay: 200)
        #expect(slots.map(\.duration) == [100, 40, 40, 460, 30, 60])
        // The long frame is decoded before two others, so its sample cannot be longer than the delay.
        let short = check([0, 100, 40, 80, 600], next: 640, delay: 200)
        #expect(short.map(\.duration) == [40, 200, 40, 320, 40])
    }

    @Test("do not depend on later frames if the segment becomes longer")
    func growing() {
        let times: [Int64] = [0, 100, 40, 80, 600]
        let slots = check(times, next: 640, delay: 200, isWhole: false)
        #expect(slots.map(\.decodeTime) == [0, 40, 80, 100, 600])
        for next: Int64 in [120, 600] {
            let earlier = check(Array(times.prefix(4)), next: next, delay: 200, isWhole: false)
            #expect(earlier.map(\.decodeTime) == [0, 40, 80, 100])
        }
    }

    @Test("leave frames of equal times room for one frame")
    func doubled() {
        let slots = check([0, 80, 40, 40], next: 120, delay: 80)
        #expect(slots.map(\.duration) == [40, 39, 1, 40])
    }

    @Test("hold for random orders", arguments: 0..<50)
    func random(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var time: Int64 = 1000
        var times: [Int64] = []
        for _ in 0..<50 {
            time += Int64.random(in: 20...200, using: &generator)
            times.append(time)
        }
        var order: [Int64] = []
        for start in stride(from: 0, to: 50, by: 5) { order += times[start..<start + 5].shuffled(using: &generator) }
        for isWhole in [false, true] { _ = check(order, next: time + 40, delay: 100, isWhole: isWhole) }
    }

    @Test("are empty for no samples")
    func empty() { #expect(VideoTiming.slots(times: [], next: 0, lead: 0, delay: 0, isWhole: true).isEmpty) }
}
