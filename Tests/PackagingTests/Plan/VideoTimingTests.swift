// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Decode times of a segment")
struct VideoTimingTests {
    private func check(_ times: [Int64], next: Int64, lead: Int64 = 0, delay: Int64) -> [VideoTiming.Slot] {
        let slots = VideoTiming.slots(times: times, next: next, lead: lead, delay: delay)
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
        _ = check(order, next: time + 40, delay: 100)
    }

    @Test("are empty for no samples")
    func empty() { #expect(VideoTiming.slots(times: [], next: 0, lead: 0, delay: 0).isEmpty) }
}
