// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineTestKit
import Testing

@testable import Transfers

private let kib: Int64 = 1 << 10
private let mib: Int64 = 1 << 20

@Suite("Fetch planner")
struct FetchPlannerTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        /// The bytes that the reader has read consecutively.
        var read: Range<Int64> = 0..<0
        /// The range that the reader waits for after that.
        var waits: Range<Int64> = 0..<0
        var byteCount: Int64? = 100 * mib
        var held = RangeSet64()
        var fetches: [FetchPlanner.Fetch] = []
        var bandwidth: Double?
        var room = 4
        let actions: [FetchPlanner.Action]
        var testDescription: String { name }
    }

    private static func fetch(_ id: UInt64, _ range: Range<Int64>) -> FetchPlanner.Fetch {
        FetchPlanner.Fetch(id: id, range: range)
    }

    @Test("Announced reads are requested at once and separately, until they have been read")
    func expected() {
        var planner = FetchPlanner()
        planner.readerExpects(1, [10 * mib + 1..<10 * mib + 64 * kib, 99 * mib + 768 * kib..<200 * mib])
        func starts(_ room: Int) -> [FetchPlanner.Action] {
            planner.plan(byteCount: 100 * mib, held: RangeSet64(), fetches: [], room: room)
        }
        let first = FetchPlanner.Action.start(10 * mib + 1..<10 * mib + 64 * kib, isUrgent: true)
        #expect(starts(4) == [first, .start(99 * mib + 768 * kib..<100 * mib, isUrgent: true)])
        #expect(starts(1) == [first])
        planner.readerRead(1, 99 * mib + 768 * kib..<99 * mib + 769 * kib)
        #expect(starts(4) == [first, .start(99 * mib + 769 * kib..<100 * mib, isUrgent: true)])
        planner.readerRead(1, 99 * mib + 769 * kib..<100 * mib)
        #expect(starts(4) == [first])
        // Bytes that have been fetched once are not announced any more.
        var held = RangeSet64()
        held.insert(0..<100 * mib)
        #expect(planner.plan(byteCount: 100 * mib, held: held, fetches: [], room: 4).isEmpty)
        #expect(starts(4).isEmpty)
        planner.readerExpects(1, [10 * mib..<11 * mib])
        planner.readerExpects(1, [])
        #expect(starts(4).isEmpty)
    }

    @Test("Announced reads are not requested beyond the burst limit, unless a reader waits for them")
    func bursts() {
        var planner = FetchPlanner()
        let last = 90 * mib..<90 * mib + 250 * kib
        planner.readerExpects(1, [0..<290 * kib, 50 * mib..<50 * mib + 24 * kib, last])
        func plan(_ fetches: [FetchPlanner.Fetch]) -> [FetchPlanner.Action] {
            planner.plan(byteCount: 100 * mib, held: RangeSet64(), fetches: fetches, room: 4)
        }
        let first = FetchPlanner.Action.start(0..<290 * kib, isUrgent: true)
        let second = FetchPlanner.Action.start(50 * mib..<50 * mib + 24 * kib, isUrgent: true)
        let third = FetchPlanner.Action.start(last, isUrgent: true)
        let other = Self.fetch(3, 70 * mib..<70 * mib + 100 * kib)
        #expect(plan([other]) == [first, second], "in the order in which they are announced")
        let all = [Self.fetch(1, 0..<290 * kib), Self.fetch(2, 50 * mib..<50 * mib + 24 * kib), other]
        #expect(plan(all) == [])
        planner.readerRead(1, 0..<100 * kib)
        #expect(plan([Self.fetch(1, 100 * kib..<290 * kib), all[1], other]) == [third])
        planner.readerWaits(1, for: last.lowerBound..<last.lowerBound + kib)
        #expect(plan(all) == [third])
        // The request does not extend beyond what was announced.
        planner.readerWaits(1, for: 50 * mib..<50 * mib + 64 * kib)
        #expect(plan([]).first == second)
    }

    @Test("A long announced read is divided; all its parts are requested at once if TCP starts slowly, otherwise three")
    func divided() {
        var planner = FetchPlanner()
        planner.readerExpects(1, [10 * mib..<10 * mib + 600 * kib])
        func plan(_ fetches: [FetchPlanner.Fetch] = [], startsSlowly: Bool) -> [FetchPlanner.Action] {
            planner.plan(
                byteCount: 100 * mib,
                held: RangeSet64(),
                fetches: fetches,
                room: 4,
                startsSlowly: startsSlowly
            )
        }
        let bounds = [0, 150, 300, 450, 600].map { 10 * mib + $0 * kib }
        let parts = zip(bounds, bounds.dropFirst()).map { $0..<$1 }
        let starts = parts.map { FetchPlanner.Action.start($0, isUrgent: true) }
        #expect(plan(startsSlowly: true) == starts)
        #expect(plan(startsSlowly: false) == Array(starts.prefix(3)))
        let fetches = (0..<3).map { Self.fetch(UInt64($0), parts[$0]) }
        #expect(plan(fetches, startsSlowly: false) == [])
        planner.readerRead(1, parts[0])
        #expect(plan(Array(fetches[1...]), startsSlowly: false) == [starts[3]])
        // Longer parts take long anyway, so all are requested at once.
        planner.readerExpects(1, [10 * mib..<14 * mib])
        #expect(plan(startsSlowly: false).count == 4)
    }

    @Test("Reading in the middle of an announced range leaves both sides announced, and delays the read-ahead")
    func around() {
        var planner = FetchPlanner()
        planner.readerExpects(1, [mib..<2 * mib])
        planner.readerRead(1, mib + 400 * kib..<mib + 700 * kib)
        var held = RangeSet64(mib + 400 * kib..<mib + 700 * kib)
        func plan() -> [FetchPlanner.Action] {
            planner.plan(byteCount: 100 * mib, held: held, fetches: [], room: 5, startsSlowly: true)
        }
        func starts(_ bounds: [Int64]) -> [FetchPlanner.Action] {
            zip(bounds, bounds.dropFirst()).map { .start($0..<$1, isUrgent: true) }
        }
        let after = starts([0, 162, 324].map { mib + (700 + $0) * kib })
        #expect(plan() == starts([0, 200, 400].map { mib + $0 * kib }) + after)
        held.insert(mib..<mib + 700 * kib)
        #expect(plan() == after)
        // Once the announced bytes have arrived, the reader's sequential read is continued.
        held.insert(mib..<2 * mib)
        planner.readerRead(1, mib + 700 * kib..<2 * mib)
        #expect(plan() == [.start(2 * mib..<2 * mib + 624 * kib, isUrgent: false)])
    }

    @Test("A reader that reads in turn at several places keeps the requests at all of them, and after a seek soon none")
    func alternation() {
        var planner = FetchPlanner()
        let places = [10 * mib, 50 * mib, 80 * mib]
        func cancelled() -> Int {
            let fetches = places.enumerated().map { number, place in
                Self.fetch(UInt64(number), place + 24 * kib..<place + 256 * kib)
            }
            let actions = planner.plan(byteCount: 100 * mib, held: RangeSet64(), fetches: fetches, room: 0)
            return places.indices.count { actions.contains(.cancel(UInt64($0))) }
        }
        func read(_ place: Int64, _ count: Int64) { planner.readerRead(1, place..<place + count) }
        for place in places { read(place, 8 * kib) }
        #expect(cancelled() == 2, "seeks")
        for place in places { read(place + 8 * kib, 8 * kib) }
        for place in places { read(place + 16 * kib, 8 * kib) }
        #expect(cancelled() == 0, "in turn")
        read(30 * mib, 900 * kib)
        read(30 * mib + 900 * kib, 900 * kib)
        #expect(cancelled() == 3, "a seek to another place")
    }

    @Test("After a seek, the requests of a reader that has read in turn at several places are cancelled at once")
    func seekAfterAlternation() {
        var planner = FetchPlanner()
        let places = [10 * mib, 50 * mib]
        for step in 0..<3 {
            for place in places {
                planner.readerRead(1, place + Int64(step) * 8 * kib..<place + Int64(step + 1) * 8 * kib)
            }
        }
        let fetches = places.enumerated().map { (id, place) -> FetchPlanner.Fetch in
            Self.fetch(UInt64(id), place + 24 * kib..<place + 4 * mib)
        }
        let wanted = 80 * mib..<80 * mib + 32 * kib
        planner.readerWaits(1, for: wanted)
        let actions = planner.plan(byteCount: 100 * mib, held: RangeSet64(), fetches: fetches, room: 0)
        #expect(actions.prefix(2) == [.cancel(0), .cancel(1)])
        #expect(actions.dropFirst(2) == [.start(80 * mib..<80 * mib + 256 * kib, isUrgent: true)])
    }

    @Test("A long read is fetched by parallel requests, none of which is cut")
    func parts() {
        var planner = FetchPlanner()
        var held = RangeSet64()
        let wanted = 10 * mib..<15 * mib
        func plan(_ fetches: [FetchPlanner.Fetch], room: Int) -> [FetchPlanner.Action] {
            planner.plan(byteCount: 100 * mib, held: held, fetches: fetches, room: room)
        }
        planner.readerWaits(1, for: wanted)
        let ranges = (0..<4).map { 10 * mib + $0 * 5 * mib / 4..<10 * mib + ($0 + 1) * 5 * mib / 4 }
        let starts = ranges.map { FetchPlanner.Action.start($0, isUrgent: true) }
        #expect(plan([], room: 4) == starts)
        #expect(plan([], room: 1) == [starts[0]])
        #expect(plan([Self.fetch(1, ranges[0])], room: 3) == Array(starts[1...]))
        let rest = ([11 * mib..<ranges[0].upperBound] + ranges[1...]).enumerated().map { Self.fetch(UInt64($0), $1) }
        held.insert(10 * mib..<11 * mib)
        planner.readerRead(1, 10 * mib..<11 * mib)
        #expect(plan(rest, room: 0).isEmpty)
        planner.readerWaits(1, for: 11 * mib..<15 * mib)
        #expect(plan(rest, room: 0).isEmpty)
    }

    @Test(
        "The scarcer the bandwidth, the more requests read ahead, up to four"
    )
    func readsAheadInParallel() {
        func ahead(bandwidth: Double, room: Int = 5) -> [FetchPlanner.Fetch] {
            var planner = FetchPlanner()
            planner.playbackBytesPerSecond = 1e6
            planner.readerRead(1, 0..<8 * mib)
            var running: [FetchPlanner.Fetch] = []
            while true {
                let actions = planner.plan(
                    byteCount: 100 * mib,
                    held: RangeSet64(0..<8 * mib),
                    fetches: running,
                    bytesPerSecond: bandwidth,
                    room: room - running.count
                )
                guard case .start(let range, isUrgent: false)? = actions.first else { return running }
                running.append(Self.fetch(UInt64(running.count), range))
            }
        }
        let plentiful = ahead(bandwidth: 6e6)
        #expect(plentiful.map(\.range) == [8 * mib..<8 * mib + 1_500_000])
        let fast = ahead(bandwidth: 2e6)
        #expect(fast.map(\.range) == [8 * mib..<8 * mib + 2_000_000, 8 * mib + 2_000_000..<8 * mib + 4_000_000])
        let slow = ahead(bandwidth: 1.2e6)
        #expect(slow.map { $0.range.count } == [600_000, 600_000, 600_000, 600_000])
        #expect(ahead(bandwidth: 1.2e6, room: 2).count == 2)
    }

    @Test(
        "Fetches follow the readers' activity",
        arguments: [
            Row(
                name: "the first read fetches a small range",
                waits: 0..<4 * kib,
                actions: [.start(0..<256 * kib, isUrgent: true)]
            ),
            Row(
                name: "a fetch continues for a reader that has just taken its first bytes",
                read: 0..<kib,
                fetches: [fetch(1, kib..<256 * kib)],
                actions: []
            ),
            Row(name: "a large read is fetched whole", waits: 0..<mib, actions: [.start(0..<mib, isUrgent: true)]),
            Row(
                name: "a fetch begins at the start of the block",
                waits: 70 * kib..<80 * kib,
                actions: [.start(64 * kib..<320 * kib, isUrgent: true)]
            ),
            Row(
                name: "a fetch begins after the cached part of the block",
                waits: 70 * kib..<80 * kib,
                held: RangeSet64(0..<66 * kib),
                actions: [.start(66 * kib..<322 * kib, isUrgent: true)]
            ),
            Row(
                name: "a fetch ends with the source",
                waits: 0..<4 * kib,
                byteCount: 9 * kib,
                actions: [.start(0..<9 * kib, isUrgent: true)]
            ),
            Row(
                name: "an unknown end is no limit",
                waits: 0..<4 * kib,
                byteCount: nil,
                actions: [.start(0..<256 * kib, isUrgent: true)]
            ),
            Row(name: "cached bytes are not fetched", waits: 0..<4 * kib, held: RangeSet64(0..<8 * kib), actions: []),
            Row(
                name: "a reader waits for bytes that a fetch will soon reach",
                waits: 200 * kib..<204 * kib,
                fetches: [fetch(1, 0..<256 * kib)],
                actions: []
            ),
            Row(
                name: "bytes that a fetch reaches late get their own fetch, and are not fetched twice",
                waits: 4 * mib..<4 * mib + 1,
                fetches: [fetch(1, 0..<8 * mib)],
                actions: [.cut(1, at: 4 * mib), .start(4 * mib..<8 * mib, isUrgent: true)]
            ),
            Row(
                name: "a fetch that nobody needs is cancelled",
                waits: 50 * mib..<50 * mib + 1,
                fetches: [fetch(1, 0..<8 * mib)],
                actions: [.cancel(1), .start(50 * mib..<50 * mib + 256 * kib, isUrgent: true)]
            ),
            Row(
                name: "a fetch that nobody needs continues if it is almost complete",
                waits: 50 * mib..<50 * mib + 1,
                fetches: [fetch(1, 0..<100 * kib)],
                actions: [.start(50 * mib..<50 * mib + 256 * kib, isUrgent: true)]
            ),
            Row(
                name: "a small cached range is fetched again",
                waits: 0..<4 * kib,
                held: RangeSet64(64 * kib..<128 * kib),
                actions: [.start(0..<256 * kib, isUrgent: true)]
            ),
            Row(
                name: "a large cached range ends the request",
                waits: 0..<4 * kib,
                held: RangeSet64(64 * kib..<200 * kib),
                actions: [.start(0..<64 * kib, isUrgent: true)]
            ),
            Row(name: "no fetch starts beyond the limit of requests", waits: 0..<4 * kib, room: 0, actions: []),
            Row(
                name: "there is no read-ahead for a new reader",
                read: 0..<4 * kib,
                held: RangeSet64(0..<256 * kib),
                actions: []
            ),
            Row(
                name: "there is read-ahead for a reader that reads sequentially",
                read: 0..<mib,
                held: RangeSet64(0..<mib),
                actions: [.start(mib..<2 * mib, isUrgent: false)]
            ),
            Row(
                name: "read-ahead requests grow with the length of the sequential read",
                read: 0..<40 * mib,
                held: RangeSet64(0..<40 * mib),
                actions: [.start(40 * mib..<48 * mib, isUrgent: false)]
            ),
            Row(
                name: "a read-ahead request is limited to one second of bandwidth",
                read: 0..<40 * mib,
                held: RangeSet64(0..<40 * mib),
                bandwidth: 2e6,
                actions: [.start(40 * mib..<40 * mib + 2_000_000, isUrgent: false)]
            ),
            Row(
                name: "no fetch starts while enough is cached ahead",
                read: 0..<40 * mib,
                held: RangeSet64(0..<52 * mib),
                actions: []
            ),
            Row(
                name: "running fetches count as cached ahead",
                read: 0..<mib,
                held: RangeSet64(0..<mib),
                fetches: [fetch(1, mib..<3 * mib)],
                actions: []
            ),
        ]
    )
    func plans(row: Row) {
        var planner = FetchPlanner()
        if !row.read.isEmpty { planner.readerRead(1, row.read) }
        if !row.waits.isEmpty { planner.readerWaits(1, for: row.waits) }
        let actions = planner.plan(
            byteCount: row.byteCount,
            held: row.held,
            fetches: row.fetches,
            bytesPerSecond: row.bandwidth,
            room: row.room
        )
        #expect(actions == row.actions)
    }

    @Test("Two readers of the same bytes share a fetch, and a removed reader has no more demands")
    func shares() {
        var planner = FetchPlanner()
        planner.readerWaits(1, for: 0..<4096)
        planner.readerWaits(2, for: 100..<8192)
        let first = planner.plan(byteCount: nil, held: RangeSet64(), fetches: [], room: 4)
        #expect(first == [.start(0..<256 * kib, isUrgent: true)])
        planner.readerLeft(1)
        let fetches = [FetchPlanner.Fetch(id: 7, range: 0..<256 * kib)]
        #expect(planner.plan(byteCount: nil, held: RangeSet64(), fetches: fetches, room: 3) == [])
        planner.readerLeft(2)
        #expect(planner.plan(byteCount: nil, held: RangeSet64(), fetches: fetches, room: 3) == [.cancel(7)])
    }

    @Test("Random readers get every byte, no long cached range is fetched again, and planning terminates")
    func fetchesOnce() {
        var random = SplitMix(state: 7)
        for _ in 0..<50 {
            var planner = FetchPlanner()
            var held = RangeSet64()
            let size: Int64 = 20 * mib
            for _ in 0..<40 {
                let start = Int64.random(in: 0..<size, using: &random)
                let wanted = start..<min(size, start + Int64.random(in: 1...300_000, using: &random))
                planner.readerWaits(1, for: wanted)
                var rounds = 0
                while held.firstGap(in: wanted) != nil, rounds < 100 {
                    rounds += 1
                    for case .start(let range, _) in planner.plan(byteCount: size, held: held, fetches: [], room: 1) {
                        #expect(held.firstHeld(in: range).map { $0.count <= 128 << 10 } ?? true)
                        #expect(range.upperBound <= size && !range.isEmpty)
                        held.insert(range)
                    }
                }
                #expect(held.firstGap(in: wanted) == nil)
                planner.readerRead(1, wanted)
            }
        }
    }
}

@Suite("Sets of ranges")
struct RangeSet64Tests {
    @Test("A range set has the same contents as a set of integers")
    func agrees() {
        var random = SplitMix(state: 3)
        for _ in 0..<200 {
            var set = RangeSet64()
            var numbers: Set<Int64> = []
            for _ in 0..<20 {
                let start = Int64.random(in: 0..<50, using: &random)
                let range = start..<start + Int64.random(in: 0..<12, using: &random)
                if Bool.random(using: &random) {
                    set.insert(range)
                    numbers.formUnion(range)
                } else {
                    set.remove(range)
                    numbers.subtract(range)
                }
            }
            #expect(set.ranges.flatMap { Array($0) } == numbers.sorted())
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            let bounds: Range<Int64> = 5..<45
            let gap = set.firstGap(in: bounds)
            #expect(gap?.lowerBound == bounds.first { !numbers.contains($0) })
            #expect(gap.map { $0.allSatisfy { !numbers.contains($0) } } ?? true)
            #expect(set.firstHeld(in: bounds)?.lowerBound == bounds.first { numbers.contains($0) })
        }
    }
}

@Suite("Range cache")
struct RangeCacheTests {
    private func read(_ cache: RangeCache, _ source: RangeCache.Source, _ range: Range<Int64>) -> [UInt8] {
        [UInt8](upTo: range.count) { output in
            _ = cache.read(at: range.lowerBound, of: source, into: &output)
        }
    }

    @Test("Reads return the bytes written, at any offset and in any order")
    func keeps() {
        var random = SplitMix(state: 5)
        let film = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        let cache = RangeCache(byteLimit: 1 << 20)
        let (source, other) = (cache.makeSource(), cache.makeSource())
        var held = RangeSet64()
        for _ in 0..<30 {
            let start = Int.random(in: 0..<film.count, using: &random)
            let end = min(film.count, start + Int.random(in: 1...90_000, using: &random))
            unsafe cache.write(Array(film[start..<end]).span.bytes, at: Int64(start), of: source)
            held.insert(Int64(start)..<Int64(end))
            #expect(cache.held(source) == held)
            let place = Int.random(in: 0..<film.count, using: &random)
            let wanted = Int64(place)..<Int64(min(film.count, place + 100_000))
            let found = read(cache, source, wanted)
            let known = held.firstHeld(in: wanted)
            #expect(found.count == (known?.lowerBound == wanted.lowerBound ? known?.count ?? 0 : 0))
            #expect(found == Array(film[place..<place + found.count]))
        }
        #expect(cache.held(other) == RangeSet64() && read(cache, other, 0..<10).isEmpty)
        cache.forget(source)
        #expect(cache.byteCount == 0 && read(cache, source, 0..<400_000).isEmpty)
    }

    @Test("The least recently used block is evicted first, whichever source it belongs to")
    func evicts() {
        let cache = RangeCache(byteLimit: 4 * RangeCache.blockByteCount)
        let (first, second) = (cache.makeSource(), cache.makeSource())
        let block = [UInt8](repeating: 1, count: RangeCache.blockByteCount)
        for index in 0..<3 as Range<Int64> { unsafe cache.write(block.span.bytes, at: index * 65_536, of: first) }
        _ = read(cache, first, 0..<1)
        for index in 0..<3 as Range<Int64> { unsafe cache.write(block.span.bytes, at: index * 65_536, of: second) }
        #expect(cache.held(first) == RangeSet64(0..<65_536))
        #expect(cache.held(second) == RangeSet64(0..<196_608))
        #expect(cache.byteCount == cache.byteLimit)
    }

    @Test("A halved cache keeps the most recently used blocks, and stays within its limit until that is restored")
    func halves() {
        let block = Int64(RangeCache.blockByteCount)
        let cache = RangeCache(byteLimit: 8 * RangeCache.blockByteCount)
        let source = cache.makeSource()
        func write(_ numbers: Range<Int64>) {
            let bytes = [UInt8](repeating: 1, count: RangeCache.blockByteCount)
            for number in numbers { unsafe cache.write(bytes.span.bytes, at: number * block, of: source) }
        }
        write(0..<8)
        #expect(cache.held(source) == RangeSet64(0..<8 * block))
        cache.halve(1)
        #expect(cache.held(source) == RangeSet64(4 * block..<8 * block))
        write(8..<9)
        #expect(cache.held(source) == RangeSet64(5 * block..<9 * block))
        cache.halve(60)
        #expect(cache.held(source) == RangeSet64(5 * block..<9 * block), "a reader needs some blocks whatever happens")
        cache.halve(0)
        write(9..<16)
        #expect(cache.held(source) == RangeSet64(8 * block..<16 * block))
    }
}
