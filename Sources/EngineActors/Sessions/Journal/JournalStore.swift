// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Foundation

/// Keeps the journal's files, on a thread of its own: the database, the slots of players, and a file of an older engine.
///
/// A second engine that uses the same directory is refused: the two would overwrite each other's sessions.
package actor JournalStore {
    /// The size limit of a file, in bytes. The largest allowed number of sessions takes less.
    private static let largestFile = 64 << 20

    private let executor = ThreadExecutor(name: "journal")
    private let directory: String
    private let isSynced: Bool
    private var lock: FileLock?
    private var tables: JournalTables?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter isSynced: whether a commit returns only when the data is on the disk.
    package init(directory: String, isSynced: Bool) {
        self.directory = directory
        self.isSynced = isSynced
    }

    /// The state that the previous process left.
    struct PreviousState: Sendable {
        var rows: [JournalQueue.Row] = []
        var httpPort: Int?
        var slots = RestoredSlots()
        /// Messages about what could not be read, and where it is now.
        var losses: [String] = []
    }

    // MARK: Opening

    /// Locks the directory for this process and reads the last state that was written.
    ///
    /// If the database cannot be created now, for example on a full disk, the first write tries again.
    ///
    /// - Throws: `unavailable` if another engine holds the directory, `internal` if it or the database in it cannot be
    ///   used for another reason. The files then stay as they are.
    func open() throws(EngineError) -> PreviousState {
        do throws(Errno) {
            lock = try FileLock("\(directory)/sessions.lock", makingDirectory: directory)
        } catch {
            let code: EngineError.Code = error.isHeldElsewhere ? .unavailable : .internal
            throw EngineError(code, "\(directory) cannot be used for the journal", cause: "\(error)")
        }
        var previous = PreviousState()
        readSlots(into: &previous)
        checkLog(&previous)
        let hasDatabase = hasDatabase
        do throws(SQLiteError) { try readTables(into: &previous) } catch {
            if error.isDamage {
                salvage(error, into: &previous)
            } else if hasDatabase {
                throw EngineError(
                    .internal,
                    "\(databasePath) cannot be opened, and is left as it is",
                    cause: "\(error)"
                )
            } else {
                previous.losses.append("\(databasePath) cannot be created (\(error))")
            }
        }
        if tables != nil { takeOver(into: &previous) }
        return previous
    }

    /// Whether there is a database that may have content.
    private var hasDatabase: Bool {
        do throws(RegularFile.OpenError) { return try RegularFile(path: databasePath).byteCount > 0 } catch {
            if case .failed(let error) = error { return !error.isNotFound }
            return true
        }
    }

    private var databasePath: String { "\(directory)/sessions.db" }
    private var logPath: String { "\(databasePath)-wal" }
    private var slotsPath: String { "\(directory)/sessions.players" }

    private func readTables(into previous: inout PreviousState) throws(SQLiteError) {
        do throws(Errno) { try SmallFile.makePrivate(databasePath) } catch {
            // SQLite fails for the same reason, and reports it.
        }
        let tables = try JournalTables(path: databasePath, isSynced: isSynced)
        try tables.check()
        try take(tables.read(), into: &previous)
        self.tables = tables
    }

    /// Reports damage in the log of the database, which SQLite does not report.
    private func checkLog(_ previous: inout PreviousState) {
        do throws(RegularFile.OpenError) {
            let log = try SmallFile.read(logPath, limit: Self.largestFile)
            guard let position = LogCheck.damagedPosition(in: log) else { return }
            previous.losses.append(
                "\(logPath) is damaged or incomplete at byte \(position): the changes that it holds from there are lost"
            )
        } catch {
            // There is no log, or SQLite fails for the same reason and reports it.
        }
    }

    private func take(_ content: JournalTables.Content, into previous: inout PreviousState) {
        (previous.rows, previous.httpPort) = (content.rows, content.httpPort)
        if content.lostRows > 0 { previous.losses.append("\(content.lostRows) sessions were damaged and are lost") }
        if !content.invalid.isEmpty {
            previous.losses.append("\(content.invalid.count) values are invalid and ignored: \(content.invalid[0])")
        }
    }

    /// Moves a damaged database aside, and takes over the sessions that can still be read.
    private func salvage(_ error: SQLiteError, into previous: inout PreviousState) {
        let content = JournalTables.salvage(path: databasePath)
        let place = moveAside()
        do throws(SQLiteError) { try readTables(into: &previous) } catch {
            previous.losses.append("\(databasePath) cannot be created (\(error))")
        }
        take(content, into: &previous)
        previous.losses.append(
            "\(databasePath) is damaged (\(error)); \(content.rows.count) sessions were read from it, and it is now \(place)"
        )
        var batch = JournalQueue.Batch(httpPort: content.httpPort)
        for row in content.rows { batch.changes[row.record.id] = .keep(row) }
        do throws(EngineError) { try tables?.write(batch) } catch {
            previous.losses.append("\(error)")
        }
    }

    /// Moves the database aside, replacing one that was moved aside earlier.
    ///
    /// - Returns: its new path.
    private func moveAside() -> String {
        let place = "\(databasePath).damaged"
        for suffix in ["", "-wal"] {
            do throws(Errno) { try SmallFile.move(databasePath + suffix, to: place + suffix) } catch {
                // There is no log, or creating the new database will fail too.
            }
        }
        return place
    }

    /// The database, which is created now if it could not be opened at first.
    private func openedTables() throws(EngineError) -> JournalTables {
        if let tables { return tables }
        do throws(SQLiteError) {
            let made = try JournalTables(path: databasePath, isSynced: isSynced)
            tables = made
            return made
        } catch {
            throw EngineError(.internal, "the journal cannot be opened", cause: "\(error)")
        }
    }

    private func readSlots(into previous: inout PreviousState) {
        do throws(RegularFile.OpenError) {
            previous.slots = RestoredSlots(try SmallFile.read(slotsPath, limit: Self.largestFile))
            if !previous.slots.isReadable { previous.losses.append("\(slotsPath) is damaged: positions may be older") }
        } catch {
            if case .failed(let error) = error, error.isNotFound { return }
            previous.losses.append("\(slotsPath) cannot be read: positions may be older (\(error))")
        }
    }

    /// The slots of this process's players. Those of the previous process stay in place until `adopt`.
    func makeSlots() throws(SystemError) -> PlayerSlots { try PlayerSlots(path: slotsPath) }

    /// Replaces the slots of the previous process with those of this one.
    func adopt(_ slots: PlayerSlots) throws(Errno) { try slots.adopt() }

    /// Removes the slots of the previous process, when this process has none to replace them.
    func removeSlots() {
        do throws(Errno) { try SmallFile.remove(slotsPath) } catch {
            // A later process ignores them, because their stamps are older than those of the rows.
        }
    }

    // MARK: The file of an older engine

    /// Takes over `sessions.json`, which engines wrote before they used the database, and removes it.
    private func takeOver(into previous: inout PreviousState) {
        let path = "\(directory)/sessions.json"
        do throws(RegularFile.OpenError) {
            let file = try RegularFile(path: path)
            guard file.byteCount <= Self.largestFile else { return setAside(path, "it is too long", &previous) }
            let bytes = try SmallFile.read(path, limit: Self.largestFile)
            let old: JournalFile
            do { old = try JSONDecoder().decode(JournalFile.self, from: Data(bytes)) } catch {
                return setAside(path, "\(error)", &previous)
            }
            guard old.version == JournalFile.currentVersion else {
                return setAside(path, "its version is \(old.version)", &previous)
            }
            take(old, into: &previous)
        } catch {
            if case .failed(let error) = error, error.isNotFound { return }
            setAside(path, "\(error)", &previous)
        }
    }

    private func take(_ old: JournalFile, into previous: inout PreviousState) {
        let (records, invalid) = old.records
        var content = JournalTables.Content(httpPort: old.httpPort, invalid: invalid)
        content.rows = records.enumerated().map { .init(record: $1, place: Int64($0), stamp: 0) }
        var batch = JournalQueue.Batch(httpPort: old.httpPort)
        for row in previous.rows { batch.changes[row.record.id] = .drop }
        for row in content.rows { batch.changes[row.record.id] = .keep(row) }
        take(content, into: &previous)
        do throws(EngineError) { try tables?.write(batch) } catch {
            // The file stays, and is taken over by the next process.
            return previous.losses.append("\(error)")
        }
        do throws(Errno) { try SmallFile.remove("\(directory)/sessions.json") } catch {
            previous.losses.append("\(directory)/sessions.json cannot be removed (\(error))")
        }
    }

    private func setAside(_ path: String, _ reason: String, _ previous: inout PreviousState) {
        let place = "\(path).unreadable"
        do throws(Errno) {
            try SmallFile.move(path, to: place)
            previous.losses.append("\(path) cannot be read (\(reason)) and was moved to \(place)")
        } catch {
            previous.losses.append("\(path) cannot be read (\(reason)) and cannot be moved to \(place) (\(error))")
        }
    }

    // MARK: Writing

    /// Returns once the change with this number has been written or has failed. Writes all waiting changes, so that the
    /// changes of many callers become one commit.
    func settle(_ number: UInt64, of queue: Locked<JournalQueue>) -> EngineError? {
        let (batch, trouble) = queue.withLock { queue in
            (queue.settledNumber < number || queue.trouble != nil ? queue.take() : nil, queue.trouble)
        }
        guard let batch else { return trouble }
        var failure: EngineError?
        do throws(EngineError) {
            try openedTables().write(batch)
        } catch {
            failure = error
        }
        return queue.withLock { [failure] queue in
            queue.finish(batch, failure)
            return failure
        }
    }

    /// Removes all sessions, because a user who ends the process by hand wants its sessions to end too.
    func clear() throws(EngineError) {
        do throws(SQLiteError) { try tables?.clear() } catch {
            throw EngineError(.internal, "the journal cannot be emptied", cause: "\(error)")
        }
    }
}
