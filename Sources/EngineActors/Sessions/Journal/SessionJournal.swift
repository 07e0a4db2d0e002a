// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Foundation
package import Logging

/// Records the loaded sessions in a file, so that they survive a killed process: the next process has the same sessions
/// under the same URLs, at most a second behind.
///
/// It receives changes as an observer and writes from its own task: soon after a change, twice a second while a session
/// plays, and never while nothing happens.
package final class SessionJournal: EngineObserver {
    /// One write covers all changes within this time.
    private static let settling = Duration.milliseconds(100)
    /// About twice a second: at twice the normal rate, half a second is one second of the media.
    private static let interval = Duration.milliseconds(450)

    private let store: JournalStore
    private let logger: Logger
    private let (news, notify) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    private init(store: JournalStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// A journal, and what the previous process left in it.
    package struct Opened: Sendable {
        package let journal: SessionJournal
        package var records: [SessionRecord] = []
        /// The port of the HLS server, which is part of the sessions' URLs.
        package var httpPort: Int?
    }

    /// Opens the journal.
    ///
    /// An unreadable file is set aside with a warning. If the directory is unusable, the process runs without a
    /// journal, also with a warning.
    package static func open(directory: String, logger: Logger) async -> Opened? {
        let journal = SessionJournal(store: JournalStore(directory: directory, name: "sessions.json"), logger: logger)
        do throws(EngineError) {
            switch try await journal.store.open() {
            case .nothing: return Opened(journal: journal)
            case .bytes(let bytes):
                guard let file = try await journal.parse(bytes) else { return Opened(journal: journal) }
                let (records, invalid) = file.records
                if !invalid.isEmpty {
                    logger.warning(
                        "values of the journal are invalid and ignored",
                        metadata: ["count": "\(invalid.count)"]
                    )
                }
                return Opened(journal: journal, records: records, httpPort: file.httpPort)
            case .unreadable(let reason):
                try await journal.setAside(because: reason)
                return Opened(journal: journal)
            }
        } catch {
            logger.warning("sessions will not be restored after a crash: \(error)")
            return nil
        }
    }

    private func parse(_ bytes: [UInt8]) async throws(EngineError) -> JournalFile? {
        let reason: String
        do {
            let file = try JSONDecoder().decode(JournalFile.self, from: Data(bytes))
            if file.version == JournalFile.currentVersion { return file }
            reason = "its version is \(file.version), not \(JournalFile.currentVersion)"
        } catch {
            reason = "\(error)"
        }
        try await setAside(because: reason)
        return nil
    }

    private func setAside(because reason: String) async throws(EngineError) {
        let place = try await store.setAside()
        logger.warning(
            "the journal cannot be read and was moved aside",
            metadata: ["path": "\(place)", "reason": "\(reason)"]
        )
    }

    /// The groups of fields that a record depends on.
    private static let kept: StateFields = [.identity, .phase, .position, .duration, .settings, .subtitles]

    package func receive(_ change: EngineChange) {
        switch change {
        case .changed(_, let fields) where fields.isDisjoint(with: Self.kept): break
        case .changed, .closed: notify.yield()
        case .noticed, .seeked, .cued, .defaultSession: break
        }
    }

    /// Writes until the task is cancelled. A failed write is retried as long as the sessions differ from the file.
    package func run(_ engine: Engine, httpPort: Int) async {
        var written: JournalFile?
        var trouble: EngineError?
        for await _ in news {
            repeat {
                do { try await Task.sleep(for: Self.settling) } catch { return }
                let entries = await engine.records().map(JournalFile.Entry.init)
                let file = JournalFile(httpPort: httpPort, sessions: entries)
                if file != written {
                    let failure = await write(file)
                    if failure == nil { written = file }
                    if failure != trouble { tell(failure) }
                    trouble = failure
                }
                guard trouble != nil || entries.contains(where: \.isPlaying) else { break }
                do { try await Task.sleep(for: Self.interval - Self.settling) } catch { return }
            } while !Task.isCancelled
            if Task.isCancelled { return }
        }
    }

    /// Logs a change between failure and success once, not every attempt.
    private func tell(_ trouble: EngineError?) {
        if let trouble {
            logger.warning("the journal cannot be written: \(trouble)")
        } else {
            logger.notice("the journal is being written again")
        }
    }

    /// Removes the file: a user who ends the process by hand wants its sessions to end too.
    package func clear() async { await store.remove() }

    private func write(_ file: JournalFile) async -> EngineError? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try await store.write(Array(try encoder.encode(file)))
            return nil
        } catch let error as EngineError {
            return error
        } catch {
            return EngineError(.internal, "the sessions cannot be encoded", cause: "\(error)")
        }
    }
}
