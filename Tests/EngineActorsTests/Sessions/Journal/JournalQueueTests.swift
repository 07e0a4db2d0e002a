// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("Changes that wait for the journal")
struct JournalQueueTests {
    private func record(_ id: String, token: String = "a", seconds: Double = 0) -> SessionRecord {
        var record = SessionRecord(id: SessionID(rawValue: id), token: token, request: LoadRequest(source: "/a"))
        record.position = .seconds(seconds)
        return record
    }

    private func queue(hasSlot: Bool = false) -> JournalQueue {
        var queue = JournalQueue()
        for id in ["1", "2"] { queue.begin(SessionID(rawValue: id), token: "a", hasSlot: hasSlot) }
        return queue
    }

    @Test("Changes of many sessions become one commit, with the latest change of each")
    func group() {
        var queue = queue()
        for seconds in 1...3 { _ = queue.note(record("1", seconds: Double(seconds)), stamp: UInt64(seconds)) }
        let last = queue.note(record("2"), stamp: 4) ?? 0
        let batch = queue.take() ?? JournalQueue.Batch()
        #expect(batch.changes.count == 2 && batch.number == last)
        guard case .keep(let row) = batch.changes[SessionID(rawValue: "1")] else {
            Issue.record("no row")
            return
        }
        #expect(row.record.position == .seconds(3) && row.stamp == 3)
        #expect(queue.settledNumber < last)
        queue.finish(batch, nil)
        #expect(queue.settledNumber == last && !queue.hasWork)
    }

    @Test("An unchanged record is not written again; changes that a slot keeps do not count")
    func unchanged() {
        for hasSlot in [false, true] {
            var queue = queue(hasSlot: hasSlot)
            let first = queue.note(record("1"), stamp: 1) ?? 0
            let again = queue.note(record("1"), stamp: 2)
            #expect(again == first, "and the first is waited for")
            let moved = queue.note(record("1", seconds: 9), stamp: 3) ?? 0
            #expect((moved == first) == hasSlot)
            var later = record("1", seconds: 9)
            later.revision += 1 << 16
            let renewed = queue.note(later, stamp: 4) ?? 0
            #expect(renewed > moved, "the revision is too old by now")
        }
    }

    @Test("A record of a session that is stopped or has another source is ignored")
    func stale() {
        var queue = queue()
        #expect(queue.end(SessionID(rawValue: "1"), token: "b") == nil, "an older source of it")
        #expect(queue.end(SessionID(rawValue: "1"), token: "a") != nil)
        #expect(queue.note(record("1"), stamp: 1) == nil)
        queue.begin(SessionID(rawValue: "1"), token: "b", hasSlot: false)
        #expect(queue.note(record("1"), stamp: 2) == nil)
        #expect(queue.note(record("1", token: "b"), stamp: 3) != nil)
        let batch = queue.take() ?? JournalQueue.Batch()
        guard case .keep(let row) = batch.changes[SessionID(rawValue: "1")] else {
            Issue.record("the new source is not kept")
            return
        }
        #expect(row.record.token == "b" && row.place == 2, "and its session is the last one now")
    }

    @Test("Changes that could not be written wait again, unless newer ones replace them")
    func failure() {
        var queue = queue()
        _ = queue.note(record("1", seconds: 1), stamp: 1)
        _ = queue.note(record("2", seconds: 1), stamp: 2)
        let batch = queue.take() ?? JournalQueue.Batch()
        _ = queue.note(record("2", seconds: 2), stamp: 3)
        let error = EngineError(.internal, "the disk is full")
        queue.finish(batch, error)
        #expect(queue.trouble == error)
        let again = queue.take() ?? JournalQueue.Batch()
        var stamps: Set<UInt64> = []
        for case .keep(let row) in again.changes.values { stamps.insert(row.stamp) }
        #expect(stamps == [1, 3])
        queue.finish(again, nil)
        #expect(queue.trouble == nil)
    }

    @Test("A closed queue notes nothing")
    func closed() {
        var queue = queue()
        queue.close()
        #expect(queue.note(record("1"), stamp: 1) == nil)
        #expect(queue.end(SessionID(rawValue: "1"), token: "a") == nil && !queue.hasWork)
    }
}
