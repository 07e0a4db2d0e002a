// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The changes that the journal has not written yet, so that the changes of many commands become one commit. Pure.
struct JournalQueue {
    /// A session as the database holds it.
    struct Row: Hashable {
        var record: SessionRecord
        /// Sessions are restored in this order; the last one is the default.
        var place: Int64
        /// The session's slot has a stamp too: the newer of row and slot is used.
        var stamp: UInt64
        /// Whether the session has a slot, which may hold a later state of the player.
        var hasSlot = false
    }

    enum Change: Hashable {
        case keep(Row)
        case drop
    }

    /// The changes that one commit writes.
    struct Batch {
        var changes: [SessionID: Change] = [:]
        var httpPort: Int?
        /// The number of the last change in it.
        var number: UInt64 = 0
    }

    private struct Session {
        let token: String
        let place: Int64
        let slot: PlayerSlot?
        /// The slots that the session had with earlier sources. The next process needs them until a row with the
        /// present source is written.
        var earlierSlots: [PlayerSlot]
        /// The record noted last; without the fields that are in the slot if the next process reads the slots.
        var noted: SessionRecord?
    }

    private var sessions: [SessionID: Session] = [:]
    private var waiting = Batch()
    private var nextPlace: Int64 = 0
    private(set) var lastNumber: UInt64 = 0
    private var trustsSlots = false
    /// Slots that are free once the change with this number has been written.
    private var endedSlots: [(number: UInt64, slot: PlayerSlot)] = []
    private var freedSlots: [PlayerSlot] = []
    /// The changes up to this number have been written or have failed.
    private(set) var settledNumber: UInt64 = 0
    /// The reason why the last commit failed.
    private(set) var trouble: EngineError?
    private(set) var isClosed = false

    var hasWork: Bool { !waiting.changes.isEmpty || waiting.httpPort != nil }

    // MARK: Sessions

    /// Adds a session, or gives it another source. It is written once its record is noted.
    mutating func begin(_ id: SessionID, token: String, _ slot: PlayerSlot?) {
        let earlier = sessions[id].map { $0.earlierSlots + [$0.slot].compactMap(\.self) } ?? []
        sessions[id] = Session(token: token, place: nextPlace, slot: slot, earlierSlots: earlier)
        nextPlace += 1
    }

    /// Removes a session that was stopped, unless it has another source by now.
    ///
    /// - Returns: the number of this change; `nil` if there is nothing to remove.
    mutating func end(_ id: SessionID, token: String) -> UInt64? {
        guard !isClosed, let session = sessions[id], session.token == token else { return nil }
        sessions[id] = nil
        waiting.changes[id] = .drop
        let number = number()
        for slot in session.earlierSlots + [session.slot].compactMap(\.self) { endedSlots.append((number, slot)) }
        return number
    }

    /// Takes the current record of a session. Ignored if the session was stopped or has another source.
    ///
    /// - Returns: the number of this change; the number of the last change if the record is the same as before; `nil`
    ///   if the record is ignored.
    mutating func note(_ record: SessionRecord, stamp: UInt64) -> UInt64? {
        guard !isClosed, var session = sessions[record.id], session.token == record.token else { return nil }
        let kept = trustsSlots && session.slot != nil ? record.withoutPlayer : record
        // The same record may still be uncommitted, so callers wait for the last number.
        if let noted = session.noted, noted.isSame(as: kept) { return lastNumber }
        let number = number()
        for slot in session.earlierSlots { endedSlots.append((number, slot)) }
        session.earlierSlots = []
        session.noted = kept
        sessions[record.id] = session
        waiting.changes[record.id] = .keep(
            Row(record: record, place: session.place, stamp: stamp, hasSlot: session.slot != nil)
        )
        return number
    }

    mutating func note(httpPort: Int) -> UInt64 {
        waiting.httpPort = httpPort
        return number()
    }

    /// From now on, records that differ only in what a slot holds count as the same.
    mutating func trustSlots() {
        trustsSlots = true
        for (id, session) in sessions where session.slot != nil { sessions[id]?.noted = session.noted?.withoutPlayer }
    }

    /// From now on, changes of sessions are ignored.
    mutating func close() { isClosed = true }

    private mutating func number() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Commits

    /// All changes that have not been written yet; `nil` if there are none.
    mutating func take() -> Batch? {
        guard hasWork else {
            settledNumber = lastNumber
            return nil
        }
        waiting.number = lastNumber
        defer { waiting = Batch() }
        return waiting
    }

    /// Ends a commit. After a failure its changes wait again, except those that were replaced meanwhile.
    mutating func finish(_ batch: Batch, _ failure: EngineError?) {
        settledNumber = max(settledNumber, batch.number)
        trouble = failure
        guard failure == nil else {
            waiting.changes.merge(batch.changes) { newer, older in newer }
            waiting.httpPort = waiting.httpPort ?? batch.httpPort
            return
        }
        for case .keep(let row) in batch.changes.values {
            guard let session = sessions[row.record.id], session.token == row.record.token else { continue }
            session.slot?.rowIsWritten()
        }
        freedSlots += endedSlots.filter { $0.number <= batch.number }.map(\.slot)
        endedSlots.removeAll { $0.number <= batch.number }
    }

    /// The slots of ended and replaced sessions that have no row in the database any more.
    mutating func takeFreedSlots() -> [PlayerSlot] {
        defer { freedSlots = [] }
        return freedSlots
    }
}

extension SessionRecord {
    fileprivate var withoutPlayer: SessionRecord {
        var record = self
        record.apply(PlayerRecord(SessionRecord(id: id, token: token, request: request)))
        return record
    }

    /// Whether both restore the same session. The stored revision may be older by less than 2^16, which is far less
    /// than `nextRevision` skips.
    fileprivate func isSame(as other: SessionRecord) -> Bool {
        guard other.revision >= revision, other.revision - revision < 1 << 16 else { return false }
        var copy = other
        copy.revision = revision
        return copy == self
    }
}
