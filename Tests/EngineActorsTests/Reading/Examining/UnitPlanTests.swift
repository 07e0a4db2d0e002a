// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
@testable import Reading
import Testing

/// How the units of a DVD's title become a plan, and how positions are found among them.
struct UnitPlanTests {
    private static let second: Int64 = 90_000
    private static let size: Int64 = 4096
    private static let sequence: [UInt8] = [0, 0, 1, 0xB3]

    /// A title of one cell, and the source from which it is read.
    private struct Title {
        let source: ScriptedSource
        let built: CellBuilder.Built

        /// - Parameters:
        ///   - times: when each unit begins, and when the last one ends, in ticks of 90 kHz.
        ///   - isListed: whether the disc lists the units.
        init(
            _ times: [Int64],
            isRemote: Bool = false,
            isListed: Bool = true,
            change: (inout [UInt8]) -> Void = { _ in }
        ) throws {
            var bytes = zip(times, times.dropFirst()).flatMap { start, end in
                DVDBytes.unit(start: Int(start), end: Int(end), time: Int(start), payload: UnitPlanTests.sequence)
            }
            change(&bytes)
            source = ScriptedSource(bytes, isRemote: isRemote)
            let sectors = (times.count - 1) * 2
            let set = try TitleSet(
                DVDBytes.set(
                    [[(1, 1)]],
                    [DVDBytes.Chain(cells: [DVDBytes.Cell(sectors: 0...sectors - 1)])],
                    pieces: [],
                    units: isListed ? Array(stride(from: 0, to: sectors, by: 2)) : []
                )
            )
            var builder = CellBuilder(set, source.file, InterruptFlag())
            builder.add(try set.chain(1).cells[0])
            built = try builder.finish("/disc", subtitles: [])
            source.requests.withLock { $0 = [] }
            source.announced.withLock { $0 = [] }
        }

        var bytes: any ByteCursor { built.title.cursor(InterruptFlag()) }

        func plan(first: Int64 = 0) -> UnitPlan {
            let limits = SegmentPlanner.Limits(target: .seconds(4), timeBase: UnitPlan.timeBase)
            let timeline = TitleTimeline(built.stretches)
            return UnitPlan(built.map, timeline, limits, first: first, isDecoded: false)
        }

        var announced: [Range<Int64>] { source.announced.withLock { $0 } }

        /// The units that were read, with the number of reads of each.
        var reads: [Int64: Int] {
            source.requests.withLock { requests in
                Dictionary(requests.map { ($0.lowerBound / UnitPlanTests.size, 1) }, uniquingKeysWith: +)
            }
        }
    }

    /// Units of half a second each.
    private static func even(_ count: Int) -> [Int64] { (0...Int64(count)).map { $0 * second / 2 } }

    @Test
    func onlyTheUnitsOfBoundariesAreRead() throws {
        let title = try Title(Self.even(1000))
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        let boundaries = stride(from: Int64(0), to: 1000, by: 8).map { $0 }
        #expect(plan.plan.boundaries.map(\.time) == boundaries.map { $0 * Self.second / 2 })
        #expect(plan.plan.boundaries.map(\.position) == boundaries.map { $0 * Self.size + 2048 + 14 })
        #expect(plan.plan.end == 500 * Self.second && plan.plan.origin == .index)
        #expect(title.reads == Dictionary(uniqueKeysWithValues: boundaries.map { ($0, 1) }))
    }

    @Test("a title whose units the disc does not list has no plan", arguments: [false, true])
    func noUnits(isRemote: Bool) throws {
        let title = try Title(Self.even(10), isRemote: isRemote, isListed: false)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) != nil)
        #expect(try title.built.map.position(atOrBefore: Self.second, nil, title.bytes) == 0)
        #expect(title.built.stretches.map(\.duration) == [83 * Self.second + 12 * 3600], "as the disc states")
        #expect(UnitPlan.expectedReads(title.built.map, TitleTimeline(title.built.stretches)) == [])
    }

    @Test("on a server, a plan begins with a few units, and grows into the plan of a local disc")
    func growth() throws {
        let title = try Title(Self.even(1000), isRemote: true)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        // Whether the last unit that was read begins a segment is known once the next one has been read.
        #expect(plan.plan.boundaries.map(\.time) == (0..<4).map { $0 * 4 * Self.second } && plan.plan.end == nil)
        #expect(plan.end == 500 * Self.second && !plan.isComplete && plan.progress == 5 / 125)
        #expect(title.announced == Array(UnitPlan.expectedReads(title.built.map, TitleTimeline(title.built.stretches))))
        #expect(title.reads == Dictionary(uniqueKeysWithValues: (0..<5).map { ($0 * 8, 1) }))
        plan = try advanced(plan, title)
        var local = try Title(Self.even(1000)).plan()
        #expect(try local.begin(try Title(Self.even(1000)).bytes) == nil)
        #expect(plan.plan == local.plan && plan.progress == 1)
        #expect(title.reads.values.allSatisfy { $0 == 1 })
        let announced = title.announced
        #expect(title.source.requests.withLock { $0 }.allSatisfy { read in announced.contains { $0.contains(read) } })
        #expect(plan.longestSegment >= .seconds(4))
    }

    /// The plan after all units have been read, in steps that each extend it.
    private func advanced(_ plan: UnitPlan, _ title: Title, isAwaited: Bool = false) throws -> UnitPlan {
        var plan = plan
        while !plan.isComplete {
            let known = plan
            try plan.advance(title.bytes, isAwaited: isAwaited, until: Deadline(in: .zero))
            #expect(plan.plan.boundaries.starts(with: known.plan.boundaries) && plan.progress > known.progress)
        }
        return plan
    }

    @Test(
        "a plan that playback waits for is read over all five connections, another plan over three",
        arguments: [(false, 3), (true, 5)]
    )
    func parallel(isAwaited: Bool, count: Int) throws {
        let title = try Title(Self.even(1000), isRemote: true)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        title.source.announced.withLock { $0 = [] }
        try plan.advance(title.bytes, isAwaited: isAwaited, until: Deadline(in: .zero))
        #expect(title.announced.map { $0.lowerBound / Self.size } == (5..<5 + Int64(count)).map { $0 * 8 })
    }

    @Test("the scan of a title reports what is known, and then more with each step")
    func scan() throws {
        let title = try Title(Self.even(1000), isRemote: true)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        title.source.requests.withLock { $0 = [] }
        var scan = TitleScan(plan)
        let interrupt = InterruptFlag()
        let file = title.built.title
        let first = try scan.step(in: file, isAwaited: true, until: Deadline(in: .zero), interrupt)
        #expect(first.plan == plan.plan && first.progress == plan.progress && title.reads == [:])
        let second = try scan.step(in: file, isAwaited: true, until: Deadline(in: .zero), interrupt)
        #expect(second.plan.segmentCount == first.plan.segmentCount + 1 && title.reads == [40: 1])
        let last = try scan.step(in: file, isAwaited: false, until: Deadline(in: .seconds(60)), interrupt)
        #expect(last.plan.isComplete && last.progress == 1 && last.plan.segmentCount == 125)
        let again = try scan.step(in: file, isAwaited: false, until: Deadline(in: .zero), interrupt)
        #expect(again.plan == last.plan)
    }

    @Test("a plan of few units is complete at once on a server, too")
    func shortTitle() throws {
        let title = try Title(Self.even(80), isRemote: true)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        #expect(plan.isComplete && plan.plan.boundaries.count == 10)
    }

    @Test("fewer units of a long title are read on a server")
    func longTitle() throws {
        let title = try Title(Self.even(20_000), isRemote: true)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        plan = try advanced(plan, title)
        // The first two minutes have segments of the wanted length.
        let dense = stride(from: Int64(0), to: 32 * 8, by: 8).map { $0 }
        let others = stride(from: Int64(32 * 8), to: 20_000, by: 39).map { $0 }
        #expect(plan.plan.boundaries.map { $0.time * 2 / Self.second } == dense + others)
        #expect(title.reads == Dictionary(uniqueKeysWithValues: (dense + others).map { ($0, 1) }))
        #expect(plan.longestSegment >= .seconds(19.5) && plan.progress == 1)
    }

    @Test("units that contradict the map are left out of a plan that has begun")
    func lateDistrust() throws {
        var times = Self.even(400)
        times[160] = 3 * Self.second
        times[200] = 36_000 * Self.second
        let title = try Title(times, isRemote: true) { $0[240 * 4096 + 3] = 0 }
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        plan = try advanced(plan, title)
        let found = Set(plan.plan.boundaries.map { $0.time * 2 / Self.second })
        #expect(found == Set(stride(from: 0, to: 400, by: 8)).subtracting([160, 200, 240]))
        #expect(plan.plan.end == 200 * Self.second)
    }

    @Test("units that are longer than segments are all boundaries")
    func longUnits() throws {
        let title = try Title((0...20).map { $0 * 5 * Self.second })
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        #expect(plan.plan.boundaries.map(\.time) == (0..<20).map { $0 * 5 * Self.second })
    }

    @Test("a unit that was lost or has no picture is replaced by the next one")
    func gaps() throws {
        let title = try Title(Self.even(100)) { bytes in
            bytes.replaceSubrange(8 * 4096..<8 * 4096 + 2048, with: repeatElement(0, count: 2048))
            // A picture that continues a sequence.
            bytes[16 * 4096 + 2048 + 14 + 14 + 3] = 0
        }
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        let times = plan.plan.boundaries.map { $0.time * 2 / Self.second }
        #expect(times == [0, 9, 17] + stride(from: 24, to: 100, by: 8))
    }

    @Test("a unit without a picture leads to the earlier unit whose picture it shows", arguments: [false, true])
    func slideShow(isRemote: Bool) throws {
        // Every twentieth unit has a picture.
        let title = try Title(Self.even(400), isRemote: isRemote) { bytes in
            for unit in 0..<400 where unit % 20 > 0 {
                bytes[unit * 4096 + 2048 + 14 + 14 + 3] = 0
                DVDBytes.state(previousVideo: unit % 20 * 2, inUnitAt: unit * 4096, of: &bytes)
            }
        }
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        if isRemote {
            plan = try advanced(plan, title)
            let announced = title.announced
            #expect(
                title.source.requests.withLock { $0 }.allSatisfy { read in announced.contains { $0.contains(read) } }
            )
        }
        #expect(plan.plan.boundaries.map { $0.time * 2 / Self.second } == stride(from: 0, to: 400, by: 20).map { $0 })
    }

    @Test("a map that contradicts the title is rejected")
    func distrust() throws {
        var times = Self.even(100)
        times[48] = 3 * Self.second
        let backwards = try Title(times)
        var plan = backwards.plan()
        #expect(try plan.begin(backwards.bytes)?.text == "the times of units do not ascend")
        times[48] = 36_000 * Self.second
        let far = try Title(times)
        plan = far.plan()
        #expect(try plan.begin(far.bytes)?.text == "the time of a unit is outside its part of the title")
        let foreign = try Title(Self.even(100)) { $0[24 * 4096 + 3] = 0 }
        plan = foreign.plan()
        #expect(try plan.begin(foreign.bytes)?.text == "the map of units leads to something else")
        #expect(try foreign.built.map.position(atOrBefore: 12 * Self.second, nil, foreign.bytes) == nil)
        let title = try Title(Self.even(100))
        plan = title.plan(first: 1)
        #expect(try plan.begin(title.bytes)?.text == "the map does not start with the first keyframe")
        let withoutPictures = { (bytes: inout [UInt8]) in
            for unit in 0..<bytes.count / 4096 { bytes[unit * 4096 + 2048 + 14 + 14 + 3] = 0 }
        }
        let still = try Title(Self.even(4), change: withoutPictures)
        plan = still.plan()
        #expect(try plan.begin(still.bytes)?.text == "the map has no picture of a part of the title")
        let long = try Title(Self.even(1000), isRemote: true, change: withoutPictures)
        plan = long.plan()
        #expect(try plan.begin(long.bytes)?.text == "the map does not start with the first keyframe")
        #expect(long.reads.count == 40)
    }

    @Test("the unit at a time is found in reads that are announced to a server", arguments: [false, true])
    func search(isRemote: Bool) throws {
        var chance = SplitMix(state: 7)
        let title = try Title(Self.even(1000), isRemote: isRemote)
        let map = title.built.map
        for _ in 0..<50 {
            let time = Int64.random(in: 0..<500 * Self.second, using: &chance)
            let unit = time * 2 / Self.second
            title.source.requests.withLock { $0 = [] }
            title.source.announced.withLock { $0 = [] }
            let found = try map.position(atOrBefore: time, nil, title.bytes)
            #expect(found == (unit == 0 ? 0 : unit * Self.size + 2062))
            let reads = title.source.requests.withLock { $0 }
            #expect(reads.count <= 8 && (isRemote ? Set(reads).isSubset(of: title.announced) : title.announced == []))
        }
        #expect(try map.position(atOrBefore: -1, nil, title.bytes) == 0)
        #expect(try map.position(atOrBefore: 501 * Self.second, nil, title.bytes) == 999 * Self.size + 2062)
    }

    @Test("between the boundaries of a plan, few units are read")
    func searchInPlan() throws {
        let title = try Title(Self.even(1000), isRemote: true)
        var plan = title.plan()
        #expect(try plan.begin(title.bytes) == nil)
        // The plan ends at unit 24 so far.
        for (unit, mostReads) in [(Int64(0), 3), (3, 3), (8, 2), (15, 3), (20, 3), (24, 3), (500, 3)] {
            title.source.requests.withLock { $0 = [] }
            let time = unit * Self.second / 2 + 10
            let found = try title.built.map.position(atOrBefore: time, plan.plan, title.bytes)
            #expect(found == unit * Self.size + 2062 && title.reads.count <= mostReads, "\(unit): \(title.reads)")
        }
    }

    @Test("a search follows the disc to the last unit with video")
    func stills() throws {
        let title = try Title(Self.even(200), isRemote: true) { bytes in
            for unit in 90..<180 {
                bytes[unit * 4096 + 2048 + 14 + 14 + 3] = 0
                DVDBytes.state(previousVideo: (unit - 89) * 2, inUnitAt: unit * 4096, of: &bytes)
            }
        }
        for unit in [Int64(90), 120, 179] {
            title.source.requests.withLock { $0 = [] }
            let found = try title.built.map.position(atOrBefore: unit * Self.second / 2, nil, title.bytes)
            #expect(found == 89 * Self.size + 2062 && title.reads.count <= 16, "\(unit): \(title.reads)")
        }
    }
}
