// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Logging
internal import Synchronization

/// Keeps the loaded sessions, so that they survive a killed process: the next process has the same sessions under the
/// same URLs.
///
/// A command notes what it changed and waits for `settle` before it is answered. Changes without a command are written
/// by a task of the journal: soon after the change, twice a second while a session plays, and never while nothing
/// changes.
///
/// Thread-safety: safe.
package final class SessionJournal: EngineObserver {
    /// One write covers all changes within this time.
    private static let settling = Duration.milliseconds(100)
    /// About twice a second, so that positions are at most about one second of media old at twice the normal rate.
    private static let interval = Duration.milliseconds(450)

    private let store: JournalStore
    private let logger: Logger
    private let queue = Locked(JournalQueue())
    private let slots: PlayerSlots?
    private let isSynced: Bool
    /// Whether the next process reads the slots of this one, so that rows need not repeat what a slot holds.
    private let trustsSlots = Atomic(false)
    private let lastStamp: Atomic<UInt64>
    /// How long the engine waits before it opens any source, because its process has crashed too often.
    let pause: Duration
    /// The reason why the journal keeps nothing at all; `nil` if it works.
    private let obstacle: EngineError?
    /// The sessions whose clients have been notified that the journal cannot be written.
    private let notified = Locked<Set<SessionID>>([])
    private let (changes, notify) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    private init(
        _ store: JournalStore,
        _ logger: Logger,
        slots: PlayerSlots?,
        isSynced: Bool,
        lastStamp: UInt64 = 0,
        pause: Duration = .zero,
        obstacle: EngineError? = nil
    ) {
        (self.store, self.logger, self.slots, self.obstacle) = (store, logger, slots, obstacle)
        (self.isSynced, self.pause) = (isSynced, pause)
        self.lastStamp = Atomic(lastStamp)
    }

    // MARK: Opening

    /// A journal, and the sessions that the previous process left in it.
    package struct Opened: Sendable {
        package let journal: SessionJournal
        package var records: [SessionRecord] = []
        /// The port of the HLS server, which is part of the sessions' URLs.
        package var httpPort: Int?
        /// Messages about what could not be read.
        package var losses: [String] = []
    }

    /// Opens the journal in `directory`.
    ///
    /// The engine starts even if the journal is damaged or cannot be used. Damaged files are moved aside with a
    /// warning. If the directory or the database cannot be used, nothing is kept, and clients get a notice.
    ///
    /// - Parameter isSynced: whether acknowledged changes also survive a power loss.
    package static func open(directory: String, isSynced: Bool, logger: Logger) async -> Opened {
        let store = JournalStore(directory: directory, isSynced: isSynced)
        do throws(EngineError) {
            let previous = try await store.open()
            for loss in previous.losses { logger.warning("the journal has lost something: \(loss)") }
            let last = max(previous.slots.lastStamp, previous.rows.map(\.stamp).max() ?? 0)
            let slots = await makeSlots(store, logger)
            let now = wallClockSeconds()
            let crashes = previous.slots.crashes(at: now)
            slots?.note(crashes)
            let journal = SessionJournal(
                store,
                logger,
                slots: slots,
                isSynced: isSynced,
                lastStamp: last,
                pause: crashes.pause(at: now)
            )
            let records = previous.rows.map { row in
                var record = row.record
                guard let slot = previous.slots.slot(ofToken: record.token, at: now) else { return record }
                if slot.stamp > row.stamp, let player = slot.player { record.apply(player) }
                record.crashes = slot.history
                return record
            }
            return Opened(journal: journal, records: records, httpPort: previous.httpPort, losses: previous.losses)
        } catch {
            logger.warning("sessions will not be restored after a crash: \(error)")
            let journal = SessionJournal(store, logger, slots: nil, isSynced: isSynced, obstacle: error)
            return Opened(journal: journal, losses: ["\(error)"])
        }
    }

    private static func makeSlots(_ store: JournalStore, _ logger: Logger) async -> PlayerSlots? {
        do throws(SystemError) { return try await store.makeSlots() } catch {
            logger.warning("the slots of players cannot be created, so their commands wait for the database: \(error)")
            return nil
        }
    }

    /// Makes this the journal of this process, once the sessions of the previous one have been restored.
    ///
    /// - Parameter areRowsKept: whether the rows repeat everything that the slots of the previous process held. This
    ///   matters only if this process has no slots, which would replace the previous ones: those are then removed if
    ///   the rows repeat them, and stay otherwise, because nothing else has their last positions.
    package func takeOver(areRowsKept: Bool) async {
        guard obstacle == nil else { return }
        guard let slots else {
            if areRowsKept { await store.removeSlots() }
            return
        }
        do throws(Errno) { try await store.adopt(slots) } catch {
            logger.warning(
                "the slots of players cannot be put in place, so their commands wait for the database: \(error)"
            )
            return
        }
        guard !isSynced else { return }
        queue.withLock { $0.trustSlots() }
        trustsSlots.store(true, ordering: .releasing)
    }

    // MARK: Sessions

    /// Adds a session, or gives it another source.
    ///
    /// - Returns: the slot of its player; `nil` if the player is written only with its record.
    func begin(_ record: SessionRecord) -> PlayerSlot? {
        let slot = slots?.take(record.token)
        slot?.write(PlayerRecord(record), stamp: nextStamp())
        slot?.write(record.crashes, .resting)
        queue.withLock { $0.begin(record.id, token: record.token, slot) }
        return slot
    }

    /// Removes a session that was stopped, unless it has another source by now.
    ///
    /// - Returns: the number of this change, for `settle`.
    func end(_ id: SessionID, token: String) -> UInt64? {
        let number = queue.withLock { $0.end(id, token: token) }
        _ = notified.withLock { $0.remove(id) }
        return number
    }

    /// Whether the effect of `command` is kept as soon as the slot is written, without a commit.
    func keeps(_ command: Command, in slot: PlayerSlot?) -> Bool {
        guard case .player(let command) = command, let slot else { return false }
        return command.isKeptInSlot && slot.hasRow && trustsSlots.load(ordering: .acquiring)
    }

    /// A number above all numbers that this process and earlier processes have used. Called by the session's actor, so
    /// that records are ordered as they were made.
    func nextStamp() -> UInt64 { lastStamp.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Called by the session's actor, so that records are noted in the order in which they were made.
    ///
    /// - Returns: the number of this change, for `settle`; `nil` if there is nothing to wait for.
    func note(_ record: SessionRecord, stamp: UInt64) -> UInt64? {
        queue.withLock { $0.note(record, stamp: stamp) }
    }

    /// Returns once the change has been written or has failed.
    ///
    /// - Returns: the reason if it was not written.
    func settle(_ number: UInt64) async -> EngineError? {
        if let obstacle { return obstacle }
        let (isSettled, before) = queue.withLock { ($0.settledNumber >= number && $0.trouble == nil, $0.trouble) }
        if isSettled { return nil }
        let trouble = await store.settle(number, of: queue)
        for slot in queue.withLock({ $0.takeFreedSlots() }) { slots?.release(slot) }
        if (trouble == nil) != (before == nil) { log(trouble) }
        return trouble
    }

    /// Returns once every change up to now has been written or has failed.
    func settleAll() async { _ = await settle(queue.withLock(\.lastNumber)) }

    /// The notice about the journal that the clients of a session get, once until the journal can be written again.
    /// `nil` if there is no trouble, or if they have had the notice.
    func notice(_ trouble: EngineError?, for id: SessionID) -> Notice? {
        notified.withLock { notified in
            guard let trouble else {
                notified = []
                return nil
            }
            guard notified.insert(id).inserted else { return nil }
            return Notice(.warning, "journal.not_written", "this session will not survive a crash: \(trouble)")
        }
    }

    /// Logs a change between failure and success once, not every attempt.
    private func log(_ trouble: EngineError?) {
        if let trouble {
            logger.warning("the journal cannot be written: \(trouble)")
        } else {
            logger.notice("the journal is being written again")
        }
    }

    // MARK: Changes without a command

    /// The groups of fields that a record depends on.
    private static let kept: StateFields = [.identity, .phase, .position, .duration, .settings, .subtitles]

    package func receive(_ change: EngineChange) {
        switch change {
        case .changed(_, let fields) where fields.isDisjoint(with: Self.kept): break
        case .changed: notify.yield()
        case .closed, .noticed, .seeked, .cued, .defaultSession: break
        }
    }

    /// Records the present state of every session. Returns whether any session plays, and the reason if the sessions
    /// could not be recorded.
    package typealias Keeper = @Sendable () async -> (isPlaying: Bool, trouble: EngineError?)

    /// Writes changes that no command made, until the task is cancelled.
    package func run(httpPort: Int, keepAll: Keeper) async {
        _ = await settle(queue.withLock { $0.note(httpPort: httpPort) })
        for await _ in changes {
            var isPlaying = false
            var trouble: EngineError?
            repeat {
                do { try await Task.sleep(for: Self.settling) } catch { return }
                (isPlaying, trouble) = await keepAll()
                guard isPlaying || trouble != nil && obstacle == nil else { break }
                do { try await Task.sleep(for: Self.interval - Self.settling) } catch { return }
            } while !Task.isCancelled
            if Task.isCancelled { return }
        }
    }

    // MARK: Ending

    /// Writes all positions, when the process ends normally. Later changes are ignored, so that the next process
    /// restores the sessions that end with this one.
    package func close(keepAll: Keeper) async {
        _ = await keepAll()
        queue.withLock { $0.close() }
        slots?.close()
    }

    /// Removes all sessions, because a user who ends the process by hand wants its sessions to end too.
    package func clear() async {
        guard obstacle == nil else { return }
        do throws(EngineError) { try await store.clear() } catch { logger.warning("\(error)") }
    }
}
