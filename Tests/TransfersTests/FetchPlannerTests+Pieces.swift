// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineTestKit
import Testing

@testable import Transfers

private let kib: Int64 = 1 << 10
private let mib: Int64 = 1 << 20

extension FetchPlannerTests {
    @Test("A read that arrives in many pieces does not end the read-ahead after it")
    func pieces() {
        var planner = FetchPlanner()
        var fetches: [FetchPlanner.Fetch] = []
        func plan() -> [FetchPlanner.Action] {
            planner.plan(byteCount: 100 * mib, held: RangeSet64(), fetches: fetches, room: 5 - fetches.count)
        }
        planner.readerRead(1, 0..<300 * kib)
        let end = 1100 * kib
        planner.readerWaits(1, for: 300 * kib..<end)
        for _ in 0..<3 {
            for case .start(let range, _) in plan() {
                fetches.append(FetchPlanner.Fetch(id: UInt64(fetches.count), range: range))
            }
        }
        #expect(fetches.contains { $0.range.lowerBound >= end + 256 * kib }, "two requests follow the read")
        for number in 0..<Int64(50) {
            let piece = 300 * kib + number * 1448..<300 * kib + (number + 1) * 1448
            fetches[0].range = piece.upperBound..<fetches[0].range.upperBound
            planner.readerRead(1, piece)
            #expect(plan() == [])
            planner.readerWaits(1, for: piece.upperBound..<end)
            #expect(plan() == [])
        }
        // A read elsewhere is followed by its own read-ahead.
        planner.readerRead(1, 50 * mib..<50 * mib + 300 * kib)
        fetches = []
        #expect(plan().first == .start(50 * mib + 256 * kib..<50 * mib + 556 * kib, isUrgent: false))
    }

    @Test("Until playback is expected, nothing is read ahead while an announced read waits for room")
    func announcedReadsFirst() {
        func plan(playback: Double?, coming: Int64) -> [FetchPlanner.Action] {
            var planner = FetchPlanner()
            planner.playbackBytesPerSecond = playback
            planner.readerRead(1, 0..<300 * kib)
            planner.readerExpects(2, [90 * mib..<90 * mib + 2 * kib])
            planner.readerWaits(3, for: 50 * mib..<50 * mib + coming)
            return planner.plan(
                byteCount: 100 * mib,
                held: RangeSet64(0..<300 * kib),
                fetches: [FetchPlanner.Fetch(id: 1, range: 50 * mib..<50 * mib + coming)],
                bytesPerSecond: 2.5e6,
                room: 4
            )
        }
        let announced = FetchPlanner.Action.start(90 * mib..<90 * mib + 2 * kib, isUrgent: true)
        let ahead = FetchPlanner.Action.start(300 * kib..<600 * kib, isUrgent: false)
        for playback in [nil, 1e6] { #expect(plan(playback: playback, coming: 600 * kib) == [announced, ahead]) }
        #expect(plan(playback: nil, coming: 700 * kib) == [])
        #expect(plan(playback: 1e6, coming: 700 * kib) == [ahead])
    }

    @Test("A reader that waits for a block within a read that another has announced gets the announced bytes only")
    func announcedByAnother() {
        func requested(waiting count: Int64, announced: Int64) -> [Int64] {
            var planner = FetchPlanner()
            planner.readerExpects(1, [mib..<mib + announced])
            planner.readerRead(2, 0..<mib)
            planner.readerWaits(2, for: mib..<mib + count)
            let plan = planner.plan(byteCount: 100 * mib, held: RangeSet64(0..<mib), fetches: [], room: 1)
            return plan.map { if case .start(let range, true) = $0 { Int64(range.count) } else { 0 } }
        }
        #expect(requested(waiting: 64 * kib, announced: 300 * kib) == [300 * kib])
        // A longer announced read is requested in parts, so it does not bound the other reader's request.
        #expect(requested(waiting: 64 * kib, announced: 301 * kib) == [mib])
        // A wait for more than a block may be for a read that continues beyond the announced one.
        #expect(requested(waiting: 65 * kib, announced: 300 * kib) == [mib])
    }

    /// A DVD on a server: the demuxer reads the start of a title, and further than was announced, while the starts of
    /// chapters are announced.
    @Test("While a source is opened, nothing is read ahead before all chapters have been requested", arguments: 0..<20)
    func opening(seed: Int) {
        var random = SplitMix(state: UInt64(seed))
        var planner = FetchPlanner()
        let media: [Range<Int64>] = [0..<256 * kib, 256 * kib..<556 * kib, 556 * kib..<704 * kib]
        let needed = 900 * kib
        let chapters: [Range<Int64>] = (1...28).map { number in
            let start = Int64(number) * 3 * mib
            return start..<start + 2 * kib
        }
        var announced: [Range<Int64>] = Array(media.prefix(2))
        announced += chapters.prefix(10)
        announced += media.dropFirst(2)
        announced += chapters.dropFirst(10)
        planner.readerExpects(1, announced)
        var held = RangeSet64()
        var fetches: [FetchPlanner.Fetch] = []
        var place: Int64 = 0
        var lastID: UInt64 = 0
        func isRequested(_ range: Range<Int64>) -> Bool {
            held.contains(range) || fetches.contains { $0.range.overlaps(range) }
        }
        while place < needed || chapters.contains(where: { !held.contains($0) }) {
            while place < needed, let part = held.firstHeld(in: place..<place + 64 * kib), part.lowerBound == place {
                planner.readerRead(2, part)
                place = part.upperBound
            }
            if place < needed { planner.readerWaits(2, for: place..<place + 64 * kib) }
            let actions = planner.plan(
                byteCount: 100 * mib,
                held: held,
                fetches: fetches,
                bytesPerSecond: 2.5e6,
                room: 5 - fetches.count,
                startsSlowly: lastID < 5
            )
            var ahead: Range<Int64>?
            for case .start(let range, let isUrgent) in actions {
                if !isUrgent { ahead = range }
                lastID += 1
                fetches.append(FetchPlanner.Fetch(id: lastID, range: range))
            }
            if let ahead { #expect(chapters.allSatisfy(isRequested), "\(ahead) is read ahead") }
            // Each transfer of media delivers some packets, and one of the others delivers one.
            let others = fetches.filter { $0.range.lowerBound >= 3 * mib }.map(\.id)
            let other = others.isEmpty ? nil : others[Int(random.next() % UInt64(others.count))]
            for index in fetches.indices where fetches[index].range.lowerBound < 3 * mib || fetches[index].id == other {
                let range = fetches[index].range
                let count = range.lowerBound < 3 * mib ? Int64(1 + random.next() % 20) : 1
                let end = min(range.upperBound, range.lowerBound + count * 1448)
                held.insert(range.lowerBound..<end)
                fetches[index].range = end..<range.upperBound
            }
            fetches.removeAll { $0.range.isEmpty }
        }
    }
}
