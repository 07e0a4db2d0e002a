// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Segments

@Suite("The work of a producer")
struct SegmentScheduleTests {
    private typealias Work = SegmentSchedule.Work

    /// A schedule for 100 segments of 10 bytes each.
    private func schedule(ahead: Int = 3, bytesAhead: Int = 1000) -> SegmentSchedule {
        SegmentSchedule(segmentCount: 100, ahead: ahead, bytesAhead: bytesAhead, tracks: [0])
    }

    private func next(_ schedule: inout SegmentSchedule, held: Set<Int> = []) -> Work? {
        schedule.next(isHeld: held.contains, byteCount: { _ in 10 })
    }

    /// A reader requests a segment that is not in memory.
    @discardableResult
    private func request(_ schedule: inout SegmentSchedule, _ index: Int, track: Int = 0) -> SegmentSchedule.RequestID {
        let id = schedule.makeID()
        schedule.visit(index, track: track)
        let isParked = schedule.park(id, index, track: track, at: 0)
        #expect(isParked)
        return id
    }

    private func make(_ schedule: inout SegmentSchedule, _ work: Work) -> [Int] {
        schedule.didRead(work)
        schedule.willPack()
        return schedule.didPack(work, made: work.tracks)?.map(\.track) ?? []
    }

    @Test("no segment is made without a request")
    func idle() {
        var schedule = schedule()
        #expect(next(&schedule) == nil && !schedule.isAwaited)
    }

    @Test("a segment is awaited since the earliest of its waiting requests")
    func awaited() {
        var schedule = schedule()
        let ids = ([(5, 30), (6, 10), (5, 20)] as [(Int, Int64)]).map { index, now in
            let id = schedule.makeID()
            let isParked = schedule.park(id, index, track: 0, at: now)
            #expect(isParked)
            return id
        }
        #expect(schedule.awaitedSince(5) == 20 && schedule.awaitedSince(6) == 10 && schedule.awaitedSince(7) == nil)
        schedule.cancel(ids[2])
        #expect(schedule.awaitedSince(5) == 30)
    }

    @Test("a requested segment comes first, then the segments that its reader will want, within the byte limit")
    func order() throws {
        var schedule = schedule(bytesAhead: 40)
        request(&schedule, 5)
        let first = try #require(next(&schedule))
        #expect(first == Work(index: 5, tracks: [0], demuxer: 0) && schedule.isAwaited)
        #expect(next(&schedule) == nil, "its demuxer reads")
        #expect(make(&schedule, first) == [0] && !schedule.isAwaited)
        var held: Set = [5]
        while let work = next(&schedule, held: held) {
            #expect(make(&schedule, work).isEmpty)
            held.insert(work.index)
        }
        // The limit is 40 bytes. Segments 5 to 8 have 40 bytes, so 8 is not begun.
        #expect(held == [5, 6, 7])
    }

    @Test("no read starts while a segment is packed")
    func packing() throws {
        var schedule = schedule()
        request(&schedule, 0)
        let work = try #require(next(&schedule))
        schedule.didRead(work)
        schedule.willPack()
        #expect(next(&schedule) == nil)
        #expect(schedule.didPack(work, made: [0])?.count == 1)
        #expect(next(&schedule, held: [0])?.index == 1)
    }

    @Test("a request for a track that was not made keeps waiting, and the segment is made again with that track")
    func laterTrack() throws {
        var schedule = schedule()
        request(&schedule, 0)
        let first = try #require(next(&schedule))
        request(&schedule, 0, track: 2)
        #expect(make(&schedule, first) == [0] && schedule.isAwaited)
        let second = try #require(next(&schedule, held: [0]))
        #expect(second.index == 0 && second.tracks == [0, 2])
        #expect(make(&schedule, second) == [2] && !schedule.isAwaited)
    }

    @Test("a preferred track is made before it is requested")
    func preferred() throws {
        var schedule = schedule()
        schedule.prefer(3)
        request(&schedule, 0)
        #expect(next(&schedule)?.tracks == [0, 3])
    }

    @Test("a failure answers all requests for its segment, and no others")
    func failure() throws {
        var schedule = schedule(ahead: 0)
        let (one, two) = (request(&schedule, 4), request(&schedule, 4, track: 1))
        let other = request(&schedule, 9)
        let work = try #require(next(&schedule))
        #expect(Set(schedule.didFail(work)) == [one, two])
        #expect(next(&schedule)?.index == 9)
        #expect(schedule.end() == [other])
    }

    @Test("a failure after reading does not affect the segment that the demuxer reads next")
    func lateFailure() throws {
        var schedule = schedule()
        request(&schedule, 0)
        let first = try #require(next(&schedule))
        schedule.didRead(first)
        let second = try #require(next(&schedule))
        #expect(second.index == 1 && second.demuxer == 0)
        #expect(schedule.didFail(first).count == 1)
        request(&schedule, 40)
        #expect(next(&schedule) == nil, "the only demuxer reads segment 1")
    }

    @Test("players that take turns get one demuxer each; a player that seeks does not get another")
    func demuxers() throws {
        var schedule = schedule(ahead: 2)
        request(&schedule, 10)
        let first = try #require(next(&schedule))
        request(&schedule, 50)
        #expect(next(&schedule) == nil, "one reader has gone from 10 to 50")
        request(&schedule, 11)
        let second = try #require(next(&schedule))
        #expect(second.demuxer == 1 && first.demuxer == 0)
        request(&schedule, 90)
        #expect(next(&schedule)?.demuxer == 2)
        request(&schedule, 30)
        #expect(next(&schedule) == nil, "the limit is three")
    }

    @Test("a segment ahead of a reader waits for the demuxer that reaches it next")
    func continuing() throws {
        var schedule = schedule(ahead: 2)
        request(&schedule, 10)
        request(&schedule, 50)
        request(&schedule, 10)
        let first = try #require(next(&schedule))
        let second = try #require(next(&schedule))
        #expect([first.index, second.index] == [10, 50] && Set([first.demuxer, second.demuxer]) == [0, 1])
        // Segments 11 and 51 follow those being read.
        #expect(next(&schedule) == nil)
        #expect(make(&schedule, second) == [0])
        #expect(next(&schedule, held: [50, 51, 52]) == nil, "the other demuxer is free, but would have to seek to 11")
    }

    @Test("a cancelled request causes no work")
    func cancelling() {
        var schedule = schedule(ahead: 0)
        let cancelled = request(&schedule, 3)
        schedule.cancel(cancelled)
        #expect(!schedule.isAwaited && next(&schedule) == nil)
    }

    /// The progress of a segment when the schedule ends.
    enum Progress: CaseIterable { case waiting, reading, read, packing }

    @Test(
        "the end returns every request once, whatever its segment's progress; segments made later answer none",
        arguments: Progress.allCases
    )
    func ending(progress: Progress) throws {
        var schedule = schedule()
        let ids = [request(&schedule, 4), request(&schedule, 4, track: 1), request(&schedule, 9)]
        schedule.cancel(request(&schedule, 5))
        let work = progress == .waiting ? nil : next(&schedule)
        #expect(work?.index == (progress == .waiting ? nil : 4))
        if let work, progress != .reading { schedule.didRead(work) }
        if progress == .packing { schedule.willPack() }
        #expect(Set(schedule.end()) == Set(ids))
        #expect(schedule.isEnded && !schedule.isAwaited && schedule.awaitedSince(9) == nil)
        if let work, progress == .packing {
            #expect(schedule.didPack(work, made: [0, 1]) == nil, "it is not kept")
        } else if let work {
            #expect(schedule.didFail(work).isEmpty)
        }
        #expect(schedule.isResting && next(&schedule) == nil)
        let isParked = schedule.park(schedule.makeID(), 5, track: 0, at: 0)
        #expect(!isParked && schedule.end().isEmpty && schedule.isEnded)
    }
}
