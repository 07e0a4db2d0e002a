// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Sessions

@Suite("Changes that wait for the journal")
struct JournalQueueTests {
    private func record(_ id: String, token: String = "a", seconds: Double = 0) -> SessionRecord {
        var record = SessionRecord(id: SessionID(rawValue: id), token: token, request: LoadRequest(source: "/a"))
        record.position = .seconds(seconds)
        return record
    }

    private func queue(_ slot: PlayerSlot? = nil) -> JournalQueue {
        var queue = JournalQueue()
        for id in ["1", "2"] { queue.begin(SessionID(rawValue: id), token: "a", slot) }
        return queue
    }

    private func slots() throws -> PlayerSlots {
        let path = FileManager.default.temporaryDirectory.appending(path: "queue-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: "\(path).new") }
        return try PlayerSlots(path: path)
    }

    private func commit(_ queue: inout JournalQueue, _ failure: EngineError? = nil) throws {
        let batch = queue.take()
        queue.finish(try #require(batch), failure)
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

    @Test("An unchanged record is not written again, and neither is a change that the player's slot keeps")
    func unchanged() throws {
        for hasSlot in [false, true] {
            var queue = queue(try slots().take("a"))
            if hasSlot { queue.trustSlots() }
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
        queue.begin(SessionID(rawValue: "1"), token: "b", nil)
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
        _ = queue.note(httpPort: 8080)
        let batch = queue.take() ?? JournalQueue.Batch()
        _ = queue.note(record("2", seconds: 2), stamp: 3)
        let error = EngineError(.internal, "the disk is full")
        queue.finish(batch, error)
        #expect(queue.trouble == error)
        let again = queue.take() ?? JournalQueue.Batch()
        var stamps: Set<UInt64> = []
        for case .keep(let row) in again.changes.values { stamps.insert(row.stamp) }
        #expect(stamps == [1, 3] && again.httpPort == 8080)
        queue.finish(again, nil)
        #expect(queue.trouble == nil)
    }

    @Test("A slot has a row once a commit of its own source succeeds; a commit of another source gives it none")
    func rows() throws {
        let slots = try slots()
        let (old, new) = (try #require(slots.take("a")), try #require(slots.take("b")))
        var queue = queue(old)
        _ = queue.note(record("1"), stamp: 1)
        try commit(&queue, EngineError(.internal, "the disk is full"))
        #expect(!old.hasRow)
        queue.begin(SessionID(rawValue: "1"), token: "b", new)
        try commit(&queue)
        #expect(!new.hasRow)
        _ = queue.note(record("1", token: "b"), stamp: 2)
        #expect(!new.hasRow)
        try commit(&queue)
        #expect(new.hasRow)
    }

    @Test("A slot is free once the end of its session, or the record of its successor, is written")
    func freed() throws {
        let slots = try slots()
        let taken = try (0..<3).map { try #require(slots.take("\($0)")) }
        var queue = JournalQueue()
        let id = SessionID(rawValue: "1")
        for (number, slot) in taken.enumerated() {
            queue.begin(id, token: "\(number)", slot)
            if number == 0 { _ = queue.note(record("1", token: "0"), stamp: 1) }
        }
        try commit(&queue)
        #expect(queue.takeFreedSlots().isEmpty, "the row is that of the first source")
        _ = queue.note(record("1", token: "2"), stamp: 2)
        try commit(&queue, EngineError(.internal, "the disk is full"))
        #expect(queue.takeFreedSlots().isEmpty)
        try commit(&queue)
        #expect(queue.takeFreedSlots().map(\.tag) == taken.prefix(2).map(\.tag))
        _ = queue.end(id, token: "2")
        #expect(queue.takeFreedSlots().isEmpty)
        try commit(&queue)
        #expect(queue.takeFreedSlots().map(\.tag) == [taken[2].tag])
        #expect(queue.takeFreedSlots().isEmpty)
    }

    @Test("A closed queue notes nothing")
    func closed() {
        var queue = queue()
        queue.close()
        #expect(queue.note(record("1"), stamp: 1) == nil)
        #expect(queue.end(SessionID(rawValue: "1"), token: "a") == nil && !queue.hasWork)
    }
}
