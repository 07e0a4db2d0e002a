// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Foundation

/// The database of the journal: a row for each session, and a few numbers of the engine.
///
/// Uses write-ahead logging: a commit is one append, which a killed process cannot leave half done. The only connection
/// locks the database exclusively, so that SQLite needs no shared memory (`-shm`). Belongs to the thread of
/// `JournalStore`.
final class JournalTables {
    static let version: Int64 = 1

    /// The contents of the tables.
    struct Content {
        var rows: [JournalQueue.Row] = []
        var httpPort: Int?
        /// Rows that are damaged.
        var lostRows = 0
        /// Values that no engine writes; they were ignored.
        var invalid: [EngineError] = []
    }

    private let database: SQLiteDatabase
    private let keep: SQLiteStatement
    private let drop: SQLiteStatement
    private let set: SQLiteStatement

    /// Opens or creates the database.
    ///
    /// - Parameter isSynced: whether a commit returns only when the data is on the disk.
    init(path: String, isSynced: Bool) throws(SQLiteError) {
        database = try SQLiteDatabase(path: path)
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF")
        try database.execute("PRAGMA cell_size_check = ON; PRAGMA journal_mode = WAL")
        // NORMAL waits for the disk only when the log is moved into the file, so a power loss may cost the last
        // changes, but never the file.
        try database.execute("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL"); PRAGMA wal_autocheckpoint = 256")
        let version = try Self.number("PRAGMA user_version", in: database)
        guard (0...Self.version).contains(version) else { throw .version(version) }
        // Only a new database is written to here, so that an old one can be read from a full disk.
        if version == 0 {
            try database.execute(
                """
                BEGIN;
                CREATE TABLE engine (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
                CREATE TABLE sessions (id TEXT PRIMARY KEY, place INTEGER NOT NULL, \
                stamp INTEGER NOT NULL, entry BLOB NOT NULL, sum INTEGER NOT NULL);
                PRAGMA user_version = \(Self.version);
                COMMIT
                """
            )
        }
        // Fails if the database is read-only.
        try database.execute("BEGIN IMMEDIATE; COMMIT")
        keep = try database.prepare(
            """
            INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5) \
            ON CONFLICT (id) DO UPDATE SET place = ?2, stamp = ?3, entry = ?4, sum = ?5
            """
        )
        drop = try database.prepare("DELETE FROM sessions WHERE id = ?1")
        set = try database.prepare("INSERT INTO engine VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2")
    }

    private static func number(_ query: String, in database: SQLiteDatabase) throws(SQLiteError) -> Int64 {
        let statement = try database.prepare(query)
        return try statement.step() ? statement.integer(0) : 0
    }

    // MARK: Reading

    /// Checks the structure of the whole file, and that the indexes have every row. With an index that lacks a row, a
    /// session would be stopped in vain: no statement would find the row.
    func check() throws(SQLiteError) {
        let statement = try database.prepare("PRAGMA integrity_check(1)")
        guard try statement.step() else { return }
        let finding = statement.string(0)
        guard finding == "ok" else { throw .check(finding) }
    }

    /// Reads everything, in the order of the sessions.
    func read() throws(SQLiteError) -> Content {
        var content = Content()
        let statement = try database.prepare("SELECT id, place, stamp, entry, sum FROM sessions ORDER BY place")
        while try statement.step() { Self.read(statement, into: &content) }
        content.httpPort = try port()
        return content
    }

    /// Reads whatever can be read of a damaged file, from both of its ends.
    static func salvage(path: String) -> Content {
        var content = Content()
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path: path)
            try database.execute("PRAGMA locking_mode = EXCLUSIVE")
            for order in ["ASC", "DESC"] {
                // Without an index, which may be damaged too.
                let query = "SELECT id, place, stamp, entry, sum FROM sessions NOT INDEXED ORDER BY rowid \(order)"
                do throws(SQLiteError) {
                    let statement = try database.prepare(query)
                    while try statement.step() { read(statement, into: &content) }
                    break
                } catch {
                    // The rows behind the damage are read from the other end.
                }
            }
            let port = try Self.number("SELECT value FROM engine WHERE name = 'http_port'", in: database)
            content.httpPort = (1...65_535).contains(port) ? Int(port) : nil
        } catch {
            // The content then lacks the port, or is empty.
        }
        var known: Set<SessionID> = []
        content.rows = content.rows.filter { known.insert($0.record.id).inserted }.sorted { $0.place < $1.place }
        return content
    }

    private static func read(_ statement: SQLiteStatement, into content: inout Content) {
        let entry = statement.bytes(3)
        let sum = JournalTables.sum(statement.string(0), statement.integer(1), statement.integer(2), entry)
        let decoded: JournalJSON.Entry
        do {
            guard statement.integer(4) == sum else {
                content.lostRows += 1
                return
            }
            decoded = try JSONDecoder().decode(JournalJSON.Entry.self, from: Data(entry))
        } catch {
            content.lostRows += 1
            return
        }
        let (record, invalid) = decoded.restored
        content.invalid += invalid
        content.rows.append(
            JournalQueue.Row(
                record: record,
                place: statement.integer(1),
                stamp: UInt64(clamping: statement.integer(2)),
                hasSlot: decoded.slot ?? false
            )
        )
    }

    private func port() throws(SQLiteError) -> Int? {
        let port = try Self.number("SELECT value FROM engine WHERE name = 'http_port'", in: database)
        return (1...65_535).contains(port) ? Int(port) : nil
    }

    // MARK: Writing

    /// Writes a batch as one commit.
    func write(_ batch: JournalQueue.Batch) throws(EngineError) {
        var entries: [(JournalQueue.Row, [UInt8])] = []
        for case .keep(let row) in batch.changes.values { entries.append((row, try Self.entry(of: row))) }
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                if let port = batch.httpPort {
                    try set.bind("http_port", at: 1)
                    try set.bind(Int64(port), at: 2)
                    try set.run()
                }
                for case (let id, .drop) in batch.changes {
                    try drop.bind(id.rawValue, at: 1)
                    try drop.run()
                }
                for (row, entry) in entries { try write(row, entry) }
            }
        } catch {
            throw EngineError(.internal, "the journal cannot be written", cause: "\(error)")
        }
    }

    private func write(_ row: JournalQueue.Row, _ entry: [UInt8]) throws(SQLiteError) {
        let stamp = Int64(clamping: row.stamp)
        try keep.bind(row.record.id.rawValue, at: 1)
        try keep.bind(row.place, at: 2)
        try keep.bind(stamp, at: 3)
        try keep.bind(entry, at: 4)
        try keep.bind(Self.sum(row.record.id.rawValue, row.place, stamp, entry), at: 5)
        try keep.run()
    }

    private static func entry(of row: JournalQueue.Row) throws(EngineError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var entry = JournalJSON.Entry(row.record)
        entry.slot = row.hasSlot ? true : nil
        do {
            return Array(try encoder.encode(entry))
        } catch {
            throw EngineError(.internal, "a session cannot be encoded", cause: "\(error)")
        }
    }

    /// Removes all sessions.
    func clear() throws(SQLiteError) { try database.execute("DELETE FROM sessions") }

    /// The checksum of a whole row. SQLite checks only the structure of its file.
    private static func sum(_ id: String, _ place: Int64, _ stamp: Int64, _ entry: [UInt8]) -> Int64 {
        var hash = StableHash(of: "\(id) \(place) \(stamp)".utf8)
        hash.add(entry)
        return Int64(bitPattern: hash.value)
    }
}
