// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging

/// Logs changes of sessions. Writes on its own thread, so that sessions never wait for a slow reader of the log.
///
/// Thread-safety: safe.
final class ChangeLog: EngineObserver {
    /// The time between two writes; changes within it are written together.
    private static let pause = Duration.milliseconds(20)

    private let pending = Locked(PendingChanges())
    private let writer: ChangeWriter

    init(logger: Logger) { writer = ChangeWriter(pending, logger) }

    func receive(_ change: EngineChange) {
        guard change.isLogged, pending.withLock({ $0.add(change) }) else { return }
        // Ends when nothing is left to write.
        Task { [writer] in
            // No code cancels this task, so the sleep does not throw.
            while await writer.write() { do { try await Task.sleep(for: Self.pause) } catch { return } }
        }
    }

    /// Returns when all changes so far are written.
    func finish() async { _ = await writer.write() }
}

/// The changes waiting to be logged.
private struct PendingChanges {
    /// The maximum number of waiting changes. Further changes are dropped, and the log reports how many.
    private static let limit = 4096

    private var changes: [EngineChange] = []
    private var lost = 0
    private var isBeingWritten = false

    /// Returns whether the caller must start the writer.
    mutating func add(_ change: EngineChange) -> Bool {
        if changes.count < Self.limit { changes.append(change) } else { lost += 1 }
        defer { isBeingWritten = true }
        return !isBeingWritten
    }

    /// Returns `nil` if nothing is waiting: the writer then stops, and the next `add` requests a new one.
    mutating func take() -> (changes: [EngineChange], lost: Int)? {
        isBeingWritten = !changes.isEmpty
        defer { (changes, lost) = ([], 0) }
        return isBeingWritten ? (changes, lost) : nil
    }
}

/// Writes changes to the log, on a thread that may block on a slow reader.
private actor ChangeWriter {
    private let executor = ThreadExecutor(name: "log")
    private let pending: Locked<PendingChanges>
    private let logger: Logger

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ pending: Locked<PendingChanges>, _ logger: Logger) {
        self.pending = pending
        self.logger = logger
    }

    /// Writes all waiting changes. Returns whether there were any.
    func write() -> Bool {
        guard let (changes, lost) = pending.withLock({ $0.take() }) else { return false }
        for change in changes { write(change) }
        if lost > 0 { logger.warning("\(lost) changes were not logged: they came too fast") }
        return true
    }

    private func write(_ change: EngineChange) {
        switch change {
        case .changed(let state, let fields) where fields.contains(.phase):
            logger.info(
                "session \(state.id.rawValue): \(state.phase.sentence)",
                metadata: ["source": "\(state.source)"]
            )
        case .noticed(let id, let notice):
            logger.log(
                level: notice.severity == .warning ? .warning : .info,
                "session \(id.rawValue): \(notice.message)",
                metadata: ["code": "\(notice.code)"]
            )
        case .closed(let id, let error):
            if let error {
                logger.warning("session \(id.rawValue) ended: \(error)")
            } else {
                logger.info("session \(id.rawValue) ended")
            }
        case .changed, .seeked, .cued, .defaultSession: break
        }
    }
}

extension EngineChange {
    fileprivate var isLogged: Bool {
        switch self {
        case .changed(_, let fields): fields.contains(.phase)
        case .noticed, .closed: true
        case .seeked, .cued, .defaultSession: false
        }
    }
}

extension Phase {
    fileprivate var sentence: String {
        switch self {
        case .ended: "playback ended"
        case .error(let error): "failed: \(error)"
        default: name.rawValue
        }
    }
}
