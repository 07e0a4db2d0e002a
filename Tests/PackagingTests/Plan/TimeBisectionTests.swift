// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Bisection of a file by times")
struct TimeBisectionTests {
    private static func range(of time: Int64, to end: Int64?) -> TimeBisection {
        TimeBisection(of: time, from: (1000, 0), upTo: (101_000, end), nearness: 200)
    }

    @Test("the first position is interpolated, the next one is in the middle")
    func alternating() {
        var range = Self.range(of: 250, to: 1000)
        #expect(range.probe() == 1000 + 25_000 - 100)
        #expect(range.probe() == 51_000)
        #expect(range.probe() == 25_900)
    }

    @Test("without the time at the end, each position is in the middle")
    func middle() {
        var range = Self.range(of: 250, to: nil)
        #expect(range.probe() == 51_000)
        range.limit(to: 51_000, time: nil)
        #expect(range.probe() == 26_000)
        // The time that is found next is known from then on, even if a later probe finds none.
        range.limit(to: 26_000, time: 500)
        range.limit(to: 21_000, time: nil)
        #expect(range.probe() == 1000 + 10_000 - 100)
    }

    @Test("positions are inside the range")
    func inside() {
        for time in [Int64(0), 1, 1000, 5000] {
            var range = Self.range(of: time, to: 1000)
            for _ in 0..<2 {
                let place = range.probe()
                #expect(place > 1000 && place < 101_000, "\(time)")
            }
        }
    }

    @Test("the range narrows to its nearness in few steps, however times are distributed", arguments: [1, 2, 9])
    func narrows(power: Int) {
        // The time of a position is a power of its share of the file.
        func time(_ position: Int64) -> Int64 {
            let share = Double(position) / 1_000_000
            return Int64((0..<power).reduce(1e6) { value, _ in value * share })
        }
        for wanted in stride(from: Int64(0), through: 999_999, by: 33_333) {
            var range = TimeBisection(of: wanted, from: (0, 0), upTo: (1_000_000, 1_000_001), nearness: 1000)
            var count = 0
            while !range.isNear {
                count += 1
                let place = range.probe()
                if time(place) <= wanted {
                    range.advance(to: place, time: time(place))
                } else {
                    range.limit(to: place, time: time(place))
                }
            }
            #expect(range.low.time <= wanted && time(range.high.position) >= wanted)
            #expect(count <= 20, "\(wanted)")
        }
    }
}
