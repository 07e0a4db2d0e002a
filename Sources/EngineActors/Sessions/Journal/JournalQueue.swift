// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The changes that the journal has yet to write, so that those of many commands become one commit. Pure.
struct JournalQueue {
    /// A session as the journal keeps it.
    struct Row: Hashable {
        var record: SessionRecord
        /// Sessions are restored in this order; the last one is the default.
        var place: Int64
        /// Tells which is newer, the row or the session's slot.
        var stamp: UInt64
    }

    enum Change: Hashable {
        case keep(Row)
        case drop
    }

    /// What one commit writes.
    struct Batch {
        var changes: [SessionID: Change] = [:]
        var httpPort: Int?
        /// The number of the last change in it.
        var number: UInt64 = 0
    }

    private struct Session {
        let token: String
        let place: Int64
        let hasSlot: Bool
        /// As it was noted last; without what its slot keeps.
        var noted: SessionRecord?
    }

    private var sessions: [SessionID: Session] = [:]
    private var waiting = Batch()
    private var nextPlace: Int64 = 0
    private var lastNumber: UInt64 = 0
    private(set) var settledNumber: UInt64 = 0
    /// Why the last commit failed.
    private(set) var trouble: EngineError?
    private(set) var isClosed = false

    var hasWork: Bool { !waiting.changes.isEmpty || waiting.httpPort != nil }

    // MARK: Sessions

    /// A session exists from now on, or has another source. The journal has it once its record is noted.
    mutating func begin(_ id: SessionID, token: String, hasSlot: Bool) {
        sessions[id] = Session(token: token, place: nextPlace, hasSlot: hasSlot)
        nextPlace += 1
    }

    /// A session is stopped, unless it has another source by now.
    ///
    /// - Returns: the number of this change.
    mutating func end(_ id: SessionID, token: String) -> UInt64? {
        guard !isClosed, sessions[id]?.token == token else { return nil }
        sessions[id] = nil
        waiting.changes[id] = .drop
        return number()
    }

    /// A session is as `record` says. Ignored if it has been stopped or has another source.
    ///
    /// - Returns: the number of this change; of the last change of all if there is none to write.
    mutating func note(_ record: SessionRecord, stamp: UInt64) -> UInt64? {
        guard !isClosed, var session = sessions[record.id], session.token == record.token else { return nil }
        let kept = session.hasSlot ? record.withoutPlayer : record
        // What was noted may still be on its way: then its number is waited for.
        if let noted = session.noted, noted.isSame(as: kept) { return lastNumber }
        session.noted = kept
        sessions[record.id] = session
        waiting.changes[record.id] = .keep(Row(record: record, place: session.place, stamp: stamp))
        return number()
    }

    mutating func note(httpPort: Int) -> UInt64 {
        waiting.httpPort = httpPort
        return number()
    }

    /// Nothing is noted any more.
    mutating func close() { isClosed = true }

    private mutating func number() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Commits

    /// Everything that waits; `nil` if nothing does.
    mutating func take() -> Batch? {
        guard hasWork else {
            settledNumber = lastNumber
            return nil
        }
        waiting.number = lastNumber
        defer { waiting = Batch() }
        return waiting
    }

    /// A commit has ended. What could not be written waits again, unless there is something newer.
    mutating func finish(_ batch: Batch, _ failure: EngineError?) {
        settledNumber = max(settledNumber, batch.number)
        trouble = failure
        guard failure != nil else { return }
        waiting.changes.merge(batch.changes) { newer, older in newer }
        waiting.httpPort = waiting.httpPort ?? batch.httpPort
    }
}

extension SessionRecord {
    fileprivate var withoutPlayer: SessionRecord {
        var record = self
        record.apply(PlayerRecord(SessionRecord(id: id, token: token, request: request)))
        return record
    }

    /// Whether both restore the same. The revision may be older than that of a client by half of what `nextRevision`
    /// skips.
    fileprivate func isSame(as other: SessionRecord) -> Bool {
        guard other.revision >= revision, other.revision - revision < 1 << 16 else { return false }
        var copy = other
        copy.revision = revision
        return copy == self
    }
}
