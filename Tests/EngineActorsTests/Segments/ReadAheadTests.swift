// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Segments

/// A schedule and a store as a producer drives them, one segment at a time, without media.
private struct Production {
    static let segmentCount = 250
    /// The size of a made segment of one track, in bytes.
    static let byteCount = 10

    var schedule: SegmentSchedule
    let store: SegmentStore
    /// The size of each segment in the source, in bytes.
    let sourceBytes: Int
    /// The segments that cannot be made.
    var broken: Set<Int> = []

    /// - Parameter share: how many segments the store holds.
    init(share: Int, ahead: Int, sourceBytes: Int = Self.byteCount) {
        store = SegmentStore(budget: share * Self.byteCount)
        self.sourceBytes = sourceBytes
        schedule = SegmentSchedule(
            segmentCount: Self.segmentCount,
            ahead: ahead,
            bytesAhead: share * Self.byteCount / 3,
            tracks: [0]
        )
    }

    var held: [Int] { (0..<Self.segmentCount).filter { store.has($0) } }

    mutating func next() -> SegmentSchedule.Work? {
        schedule.next(isHeld: { store.has($0) }, byteCount: { _ in sourceBytes })
    }

    /// A reader requests a segment, and production runs until it rests, or until it has begun more segments than
    /// readers want in all.
    ///
    /// - Returns: the segments that were begun, in order.
    mutating func request(_ index: Int, track: Int = 0) -> [Int] {
        schedule.visit(index, track: track)
        var waiting: SegmentSchedule.RequestID?
        if store.body(index, track: track) == nil {
            let id = schedule.makeID()
            if schedule.park(id, index, track: track, at: 0) { waiting = id }
        }
        let (made, answered) = run()
        if let waiting { #expect(answered.contains(waiting), "the request for segment \(index) is answered") }
        return made
    }

    /// Runs production until it rests, or until it has begun more segments than readers want in all.
    ///
    /// - Returns: the segments that were begun, in order, and the requests that were answered.
    mutating func run() -> (made: [Int], answered: [SegmentSchedule.RequestID]) {
        var (made, answered) = ([Int](), [SegmentSchedule.RequestID]())
        while made.count <= 2 + ReaderHeads.limit * schedule.heads.ahead, let work = next() {
            made.append(work.index)
            answered += finish(work)
        }
        return (made, answered)
    }

    /// - Returns: the requests that are answered.
    private mutating func finish(_ work: SegmentSchedule.Work) -> [SegmentSchedule.RequestID] {
        if broken.contains(work.index) { return schedule.didFail(work) }
        schedule.didRead(work)
        schedule.willPack()
        let answered = schedule.didPack(work, made: work.tracks)?.map(\.id) ?? []
        let body = ByteBody([UInt8](repeating: 1, count: Self.byteCount))
        let heads = schedule.heads
        let evicted = store.add(work.index, Dictionary(uniqueKeysWithValues: work.tracks.map { ($0, body) })) {
            heads.cost(of: $0)
        }
        schedule.didEvict(evicted, for: answered.isEmpty ? work.index : nil)
        return answered
    }

    /// Changes the store's share, and runs production until it rests.
    ///
    /// - Returns: the segments that were begun, in order.
    @discardableResult
    mutating func setShare(_ share: Int) -> [Int] {
        schedule.setBytesAhead(share * Self.byteCount / 3)
        let heads = schedule.heads
        schedule.didEvict(store.setBudget(share * Self.byteCount) { heads.cost(of: $0) })
        return run().made
    }
}

@Suite("Segments made ahead of readers")
struct ReadAheadTests {
    /// The segments that players request, one after another.
    private static let patterns: [[Int]] = [
        [0], Array(0..<30), [0, 100], [0, 40, 80, 120], Array(stride(from: 0, to: 240, by: 8)),
        (0..<10).flatMap { [$0, 100 + $0] }, (0..<8).flatMap { [$0, 60 + $0, 120 + $0, 180 + $0, 240 + $0] },
        [249, 248, 240, 5, 5, 5],
    ]

    @Test(
        "production comes to rest after every request, however small the store is, and makes nothing ahead twice",
        arguments: 0...20,
        [0, 1, 4, 12]
    )
    func rest(share: Int, ahead: Int) {
        // The size of a segment in the source may be unknown, or less or more than that of the made segment.
        for (pattern, sourceBytes) in Self.patterns.flatMap({ pattern in [0, 1, 10, 30].map { (pattern, $0) } }) {
            var production = Production(share: share, ahead: ahead, sourceBytes: sourceBytes)
            for index in pattern {
                let made = production.request(index)
                #expect(made.count <= 1 + ReaderHeads.limit * ahead)
                #expect(Set(made).count == made.count, "\(made) for \(index) of \(pattern)")
                #expect(production.next() == nil && production.schedule.isResting)
                #expect(production.store.byteCount <= share * Production.byteCount)
            }
            for larger in [share + 1, share + 9] {
                let made = production.setShare(larger)
                #expect(Set(made).count == made.count, "\(made) after \(pattern) with a share of \(larger)")
                #expect(production.next() == nil && production.schedule.isResting)
                #expect(production.store.byteCount <= larger * Production.byteCount)
            }
        }
    }

    @Test("nothing more is made once the store is full of segments that readers want")
    func full() {
        var production = Production(share: 3, ahead: 12, sourceBytes: 0)
        // Segment 8 is made, but the store has no room for it.
        #expect(production.request(5) == [5, 6, 7, 8])
        #expect(production.held == [5, 6, 7])
        #expect(production.request(5).isEmpty)
        #expect(production.request(6) == [8], "5, one behind the reader, is worth as much as 8")
        #expect(production.request(7) == [8, 9])
        #expect(production.held == [6, 7, 8])
    }

    @Test("readers share the store: the most recent one comes first, and its later requests make one segment at most")
    func positions() {
        var production = Production(share: 15, ahead: 12)
        for index in [200, 150, 100] { _ = production.request(index) }
        #expect(production.request(50) == [50, 51, 52, 53])
        for index in 51..<100 {
            let made = production.request(index)
            #expect(made.count <= 1, "\(made) for \(index)")
            #expect((index...index + 3).allSatisfy { production.store.has($0) })
        }
    }

    @Test("a segment that was evicted, or could not be made, is not made ahead again until a reader moves")
    func settled() {
        // The sizes of segments in the source are unknown, so they do not limit what is made ahead.
        var production = Production(share: 30, ahead: 3, sourceBytes: 0)
        production.broken = [12]
        #expect(production.request(10) == [10, 11, 12, 13])
        #expect(production.request(10).isEmpty, "the reader has not moved")
        #expect(production.request(11) == [12, 14])
        production = Production(share: 30, ahead: 3, sourceBytes: 0)
        #expect(production.request(10) == [10, 11, 12, 13] && production.request(11) == [14])
        #expect(production.setShare(1).isEmpty)
        #expect(production.held == [11])
        #expect(production.request(11).isEmpty && production.request(12) == [12, 13])
    }

    @Test("when the store's share grows, segments that had no room are made ahead, although no reader moves")
    func grown() {
        // The limit of source bytes ahead of the reader is reached.
        var production = Production(share: 4, ahead: 12)
        #expect(production.request(5) == [5])
        #expect(production.setShare(4).isEmpty)
        #expect(production.setShare(12) == [6, 7])
        // The store is full.
        production = Production(share: 3, ahead: 12, sourceBytes: 0)
        #expect(production.request(5) == [5, 6, 7, 8])
        #expect(production.setShare(3).isEmpty && production.setShare(2).isEmpty)
        #expect(production.setShare(5) == [7, 8, 9, 10])
        #expect(production.held == [5, 6, 7, 8, 9])
        // Segments were evicted.
        production = Production(share: 30, ahead: 3, sourceBytes: 0)
        #expect(production.request(10) == [10, 11, 12, 13])
        #expect(production.setShare(1).isEmpty)
        #expect(production.held == [10])
        #expect(production.setShare(30) == [11, 12, 13])
    }

    @Test("segments without room are made once the share has grown by a quarter; those over the source limit sooner")
    func grownALittle() {
        var production = Production(share: 20, ahead: 30, sourceBytes: 0)
        #expect(production.request(5) == Array(5...25))
        #expect(production.setShare(21).isEmpty && production.setShare(24).isEmpty)
        #expect(production.setShare(25) == Array(25...30))
        #expect(production.held == Array(5...29))
        production = Production(share: 20, ahead: 30)
        #expect(production.request(5) == Array(5...10))
        #expect(production.setShare(22) == [11])
    }

    @Test("a segment that could not be made is not made ahead again because the store's share has grown")
    func grownAfterFailure() {
        var production = Production(share: 30, ahead: 3)
        production.broken = [12]
        #expect(production.request(10) == [10, 11, 12, 13])
        #expect(production.setShare(60).isEmpty)
        #expect(production.request(11) == [12, 14], "the reader has moved")
    }

    @Test("a request is served although its segment was evicted, and although the store is full")
    func requested() {
        var production = Production(share: 0, ahead: 4)
        #expect(production.request(3) == [3] && production.request(3) == [3])
        production = Production(share: 1, ahead: 4, sourceBytes: 0)
        #expect(production.request(3) == [3, 4])
        #expect(production.request(4) == [4, 5])
        #expect(production.held == [4])
    }

    @Test("after the end nothing is begun")
    func ended() {
        var production = Production(share: 30, ahead: 4)
        production.schedule.visit(3, track: 0)
        #expect(production.request(3).first == 3)
        #expect(production.schedule.end().isEmpty)
        production.schedule.visit(50, track: 0)
        #expect(production.next() == nil)
        #expect(production.setShare(60).isEmpty)
    }
}
