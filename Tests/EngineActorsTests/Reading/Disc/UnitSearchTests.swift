// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Packaging
@testable import Reading
import Testing

/// How positions are found among the units of a DVD, and in how many round trips to a server.
struct UnitSearchTests {
    private static let second: Int64 = 90_000

    /// The units of a part.
    private struct Units {
        /// When each unit begins, and when the last one ends, in ticks of 90 kHz.
        let times: [Int64]
        /// The units without an entry.
        var empty: Set<Int> = []
        /// Whether the units without an entry state the last unit before them that has one.
        var statesVideo = false

        /// The last unit with an entry at or before a time.
        func last(atOrBefore time: Int64) -> Int {
            var unit = min(max(0, times.place { $0 > time } - 1), times.count - 2)
            while unit > 0, empty.contains(unit) { unit -= 1 }
            return unit
        }

        func content(of unit: Int) -> UnitMap.Content {
            guard empty.contains(unit) else {
                return .entry(.init(time: times[unit], delay: 0, position: Int64(unit)))
            }
            return .nothing(after: statesVideo ? last(atOrBefore: times[unit]) : nil)
        }

        /// - Returns: the unit that is found, and how many round trips and reads that takes.
        func search(_ time: Int64, between known: ClosedRange<Int>? = nil) -> (unit: Int, trips: Int, reads: Int) {
            let known = known ?? 0...times.count - 1
            let bounds = [known.lowerBound, known.upperBound].map { unit in
                UnitSearch.Bound(unit: unit, time: times[unit], position: Int64(unit))
            }
            var search = UnitSearch(time, after: bounds[0], before: bounds[1])
            var (trips, reads) = (0, 0)
            while case let units = search.next(), !units.isEmpty {
                trips += 1
                for unit in units where search.needs(unit) {
                    reads += 1
                    search.add(content(of: unit), of: unit)
                }
            }
            return (Int(search.low.position), trips, reads)
        }
    }

    /// How long units are.
    enum Lengths: Sendable, CaseIterable {
        case even, byChance, inTwoScenes

        fileprivate func times(_ count: Int, _ chance: inout SplitMix) -> [Int64] {
            var times: [Int64] = [0]
            for unit in 0..<count {
                let mean =
                    switch self {
                    case .even, .byChance: second / 2
                    case .inTwoScenes: unit < count * 2 / 5 ? second : second / 3
                    }
                let length = self == .even ? mean : mean / 2 + Int64.random(in: 0..<mean, using: &chance)
                times.append(times[unit] + length)
            }
            return times
        }
    }

    @Test(
        "a unit among those of two hours is found in few round trips",
        arguments: [(Lengths.even, 2, 3), (.byChance, 4, 8), (.inTwoScenes, 7, 16)]
    )
    func roundTrips(lengths: Lengths, mostTrips: Int, mostReads: Int) {
        var chance = SplitMix(state: 7)
        let units = Units(times: lengths.times(14_400, &chance))
        for _ in 0..<300 {
            let time = Int64.random(in: 0..<units.times[14_400], using: &chance)
            let found = units.search(time)
            #expect(found.unit == units.last(atOrBefore: time))
            #expect(found.trips <= mostTrips && found.reads <= mostReads)
        }
    }

    @Test("between boundaries of a plan, a unit is found in at most three round trips", arguments: Lengths.allCases)
    func knownUnits(lengths: Lengths) {
        var chance = SplitMix(state: 8)
        let units = Units(times: lengths.times(14_400, &chance))
        for _ in 0..<300 {
            let time = Int64.random(in: 0..<units.times[14_400], using: &chance)
            let start = units.last(atOrBefore: time) / 28 * 28
            let found = units.search(time, between: start...min(start + 28, 14_400))
            #expect(found.unit == units.last(atOrBefore: time) && found.trips <= 3 && found.reads <= 7)
        }
    }

    @Test("in a slide show, in which few units have a picture, the right unit is found in few round trips")
    func slides() {
        var chance = SplitMix(state: 9)
        let empty = Set((0..<14_400).filter { $0 % 20 != 0 })
        let units = Units(times: Lengths.byChance.times(14_400, &chance), empty: empty, statesVideo: true)
        for _ in 0..<300 {
            let time = Int64.random(in: 0..<units.times[14_400], using: &chance)
            let found = units.search(time)
            #expect(found.unit == units.last(atOrBefore: time) && found.trips <= 9)
        }
    }

    @Test("units without an entry are passed over", arguments: [false, true])
    func gaps(statesVideo: Bool) {
        let units = Units(
            times: (0...200).map { $0 * Self.second / 2 },
            empty: Set(90..<100).union([20, 150, 151]),
            statesVideo: statesVideo
        )
        for unit in 0..<200 {
            let time = Int64(unit) * Self.second / 2 + 10
            let found = units.search(time)
            #expect(found.unit == units.last(atOrBefore: time) && found.trips <= 8, "\(unit)")
        }
    }

    @Test("a search ends even if no unit after the first has an entry")
    func nothing() {
        var units = Units(times: (0...14_400).map { $0 * Self.second / 2 }, empty: Set(1..<14_400))
        for statesVideo in [false, true] {
            units.statesVideo = statesVideo
            let found = units.search(3600 * Self.second)
            #expect(found.unit == 0 && found.reads <= 40)
        }
    }

    @Test("a time outside the part leads to its first or last unit, and a part of at most one unit needs no reads")
    func ends() {
        let units = Units(times: (0...100).map { $0 * Self.second })
        #expect(units.search(-1).unit == 0)
        #expect(units.search(1000 * Self.second).unit == 99)
        #expect(Units(times: [0]).search(5) == (0, 0, 0))
        #expect(Units(times: [0, Self.second]).search(5) == (0, 0, 0))
    }

    @Test("a wrong statement about the last unit with video only makes decoding begin earlier")
    func wrongPointers() {
        let start = UnitSearch.Bound(unit: 0, time: 0, position: 0)
        let end = UnitSearch.Bound(unit: 100, time: 100 * Self.second, position: 100)
        for wanted in Int64(40)...60 {
            var search = UnitSearch(wanted * Self.second, after: start, before: end)
            while case let units = search.next(), !units.isEmpty {
                for unit in units where search.needs(unit) {
                    let isEmpty = unit % 7 == 1
                    search.add(
                        isEmpty
                            ? .nothing(after: 0)
                            : .entry(.init(time: Int64(unit) * Self.second, delay: 0, position: Int64(unit))),
                        of: unit
                    )
                }
            }
            let found = search.low.position
            #expect(wanted % 7 == 1 ? found < wanted : found == wanted, "\(wanted)")
        }
    }
}
