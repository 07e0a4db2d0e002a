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
        let (slots, slotLoss) = readSlots()
        var losses = [logLoss].compactMap(\.self)
        var content = JournalTables.Content()
        let hasDatabase = hasDatabase
        do throws(SQLiteError) {
            content = try readTables()
            losses += content.losses
        } catch {
            if error.isDamage {
                let salvaged = salvage(error)
                content = salvaged.content
                losses += salvaged.losses
            } else if hasDatabase {
                throw EngineError(
                    .internal,
                    "\(databasePath) cannot be opened, and is left as it is",
                    cause: "\(error)"
                )
            } else {
                losses.append("\(databasePath) cannot be created (\(error))")
            }
        }
        if tables != nil {
            let old = takeOver(replacing: content.rows)
            content = old.content ?? content
            losses += old.losses
        }
        if let loss = slotLoss ?? missingSlots(of: content.rows, in: slots) { losses.append(loss) }
        return PreviousState(rows: content.rows, httpPort: content.httpPort, slots: slots, losses: losses)
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

    /// Opens or creates the database, and reads it.
    private func readTables() throws(SQLiteError) -> JournalTables.Content {
        do throws(Errno) { try SmallFile.makePrivate(databasePath) } catch {
            // SQLite fails for the same reason, and reports it.
        }
        let tables = try JournalTables(path: databasePath, isSynced: isSynced)
        try tables.check()
        let content = try tables.read()
        self.tables = tables
        return content
    }

    /// The message about damage in the log of the database, which SQLite does not report. `nil` if there is none.
    private var logLoss: String? {
        do throws(RegularFile.OpenError) {
            let log = try SmallFile.read(logPath, limit: Self.largestFile)
            return LogCheck.damagedPosition(in: log).map { position in
                "\(logPath) is damaged or incomplete at byte \(position): the changes that it holds from there are lost"
            }
        } catch {
            // There is no log, or SQLite fails for the same reason and reports it.
            return nil
        }
    }

    /// Moves a damaged database aside, and writes the sessions that can still be read to a new one.
    ///
    /// - Returns: the sessions, and messages about the others.
    private func salvage(_ error: SQLiteError) -> (content: JournalTables.Content, losses: [String]) {
        let content = JournalTables.salvage(path: databasePath)
        let place = moveAside()
        var losses: [String] = []
        do throws(SQLiteError) { _ = try readTables() } catch {
            losses.append("\(databasePath) cannot be created (\(error))")
        }
        losses += content.losses
        losses.append(
            "\(databasePath) is damaged (\(error)); \(content.rows.count) sessions were read from it, and it is now \(place)"
        )
        var batch = JournalQueue.Batch(httpPort: content.httpPort)
        for row in content.rows { batch.changes[row.record.id] = .keep(row) }
        do throws(EngineError) { try tables?.write(batch) } catch {
            losses.append("\(error)")
        }
        return (content, losses)
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

    /// The slots of the previous process, and a message if they cannot be read.
    private func readSlots() -> (slots: RestoredSlots, loss: String?) {
        do throws(RegularFile.OpenError) {
            let slots = RestoredSlots(try SmallFile.read(slotsPath, limit: Self.largestFile))
            let isWhole = slots.isReadable && !slots.hasDamagedCopies
            return (slots, isWhole ? nil : "\(slotsPath) is damaged: players may be as they were earlier")
        } catch {
            if case .failed(let error) = error, error.isNotFound { return (RestoredSlots(), nil) }
            return (RestoredSlots(), "\(slotsPath) cannot be read: players may be as they were earlier (\(error))")
        }
    }

    /// The message about sessions whose slots are gone. `nil` if there are none.
    private func missingSlots(of rows: [JournalQueue.Row], in slots: RestoredSlots) -> String? {
        let count = rows.count { $0.hasSlot && !slots.holdsPlayer(ofToken: $0.record.token) }
        return count == 0
            ? nil
            : "\(slotsPath) is missing or lacks the players of \(count) sessions, which may be as they were earlier"
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
    ///
    /// - Parameter rows: those of the database, which are replaced.
    /// - Returns: the content of the file, `nil` if there is no such file or it cannot be read; and messages about what is
    ///   lost.
    private func takeOver(replacing rows: [JournalQueue.Row]) -> (content: JournalTables.Content?, losses: [String]) {
        let path = "\(directory)/sessions.json"
        do throws(RegularFile.OpenError) {
            let file = try RegularFile(path: path)
            guard file.byteCount <= Self.largestFile else { return (nil, [setAside(path, "it is too long")]) }
            let bytes = try SmallFile.read(path, limit: Self.largestFile)
            let old: JournalJSON
            do { old = try JSONDecoder().decode(JournalJSON.self, from: Data(bytes)) } catch {
                return (nil, [setAside(path, "\(error)")])
            }
            guard old.version == JournalJSON.currentVersion else {
                return (nil, [setAside(path, "its version is \(old.version)")])
            }
            let (records, invalid) = old.records
            var content = JournalTables.Content(httpPort: old.httpPort, invalid: invalid)
            content.rows = records.enumerated().map { .init(record: $1, place: Int64($0), stamp: 0) }
            let failure = move(content, from: path, replacing: rows)
            return (content, content.losses + [failure].compactMap(\.self))
        } catch {
            if case .failed(let error) = error, error.isNotFound { return (nil, []) }
            return (nil, [setAside(path, "\(error)")])
        }
    }

    /// Writes the content of a file of an older engine to the database, and removes the file.
    ///
    /// - Returns: a message if either fails.
    private func move(
        _ content: JournalTables.Content,
        from path: String,
        replacing rows: [JournalQueue.Row]
    ) -> String? {
        var batch = JournalQueue.Batch(httpPort: content.httpPort)
        for row in rows { batch.changes[row.record.id] = .drop }
        for row in content.rows { batch.changes[row.record.id] = .keep(row) }
        do throws(EngineError) { try tables?.write(batch) } catch {
            // The file stays, and is taken over by the next process.
            return "\(error)"
        }
        do throws(Errno) { try SmallFile.remove(path) } catch { return "\(path) cannot be removed (\(error))" }
        return nil
    }

    /// - Returns: the message about the file.
    private func setAside(_ path: String, _ reason: String) -> String {
        let place = "\(path).unreadable"
        do throws(Errno) { try SmallFile.move(path, to: place) } catch {
            return "\(path) cannot be read (\(reason)) and cannot be moved to \(place) (\(error))"
        }
        return "\(path) cannot be read (\(reason)) and was moved to \(place)"
    }

    // MARK: Writing

    /// Returns once the change with this number has been written or has failed. Writes all waiting changes, so that the
    /// changes of many callers become one commit.
    ///
    /// - Returns: why the changes could not be written; `nil` if they were.
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

extension JournalTables.Content {
    /// Messages about what could not be read.
    fileprivate var losses: [String] {
        var losses: [String] = []
        if lostRows > 0 { losses.append("\(lostRows) sessions were damaged and are lost") }
        if let first = invalid.first { losses.append("\(invalid.count) values are invalid and ignored: \(first)") }
        return losses
    }
}
