// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging

/// Notes what happens to sessions for the log. It is written on a thread of its own: nobody who changes something waits for
/// whoever reads the log.
///
/// Thread-safety: safe.
final class ChangeLog: EngineObserver {
    /// Changes that come one upon the other wake the thread together.
    private static let pause = Duration.milliseconds(20)

    private let notes = Locked(ChangeNotes())
    private let writer: ChangeWriter

    init(logger: Logger) { writer = ChangeWriter(notes, logger) }

    func receive(_ change: EngineChange) {
        guard change.isLogged, notes.withLock({ $0.add(change) }) else { return }
        // Ends by itself, once nothing is left to write.
        Task { [writer] in
            while await writer.write() { try? await Task.sleep(for: Self.pause) }
        }
    }

    /// Returns when all that has happened is written.
    func finish() async { _ = await writer.write() }
}

/// What is to be written.
private struct ChangeNotes {
    /// So many may wait; the log says how many came too fast for that.
    private static let limit = 4096

    private var changes: [EngineChange] = []
    private var lost = 0
    private var isBeingWritten = false

    /// Returns whether somebody must be told to write.
    mutating func add(_ change: EngineChange) -> Bool {
        if changes.count < Self.limit { changes.append(change) } else { lost += 1 }
        defer { isBeingWritten = true }
        return !isBeingWritten
    }

    /// `nil` when there is nothing: whoever writes stops, and is told again.
    mutating func take() -> (changes: [EngineChange], lost: Int)? {
        isBeingWritten = !changes.isEmpty
        defer { (changes, lost) = ([], 0) }
        return isBeingWritten ? (changes, lost) : nil
    }
}

/// Writes changes to the log, on a thread that may wait for whoever reads it.
private actor ChangeWriter {
    private let executor = ThreadExecutor(name: "log")
    private let notes: Locked<ChangeNotes>
    private let logger: Logger

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ notes: Locked<ChangeNotes>, _ logger: Logger) {
        self.notes = notes
        self.logger = logger
    }

    /// Writes what waits. Returns whether there was anything.
    func write() -> Bool {
        guard let (changes, lost) = notes.withLock({ $0.take() }) else { return false }
        for change in changes { write(change) }
        if lost > 0 { logger.warning("\(lost) changes came too fast to be logged") }
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
        case .ended: "at the end"
        case .error(let error): "failed: \(error)"
        default: name.rawValue
        }
    }
}
