// SPDX-License-Identifier: Apache-2.0

internal import EngineActors
internal import EngineModel
internal import Foundation
internal import Logging

/// Writes down what is loaded, so that a process that is killed loses nothing: the next one has the same sessions under
/// the same URLs, at most a second behind.
///
/// Hears of changes as an observer and writes from a task of its own: at once after a change, once a second while a
/// session plays, not at all while nothing happens.
final class SessionJournal: EngineObserver {
    /// One write covers all changes within this time.
    private static let settling = Duration.milliseconds(100)
    private static let interval = Duration.seconds(1)

    private let store: JournalStore
    private let logger: Logger
    private let (news, notify) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    private init(store: JournalStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// The journal and what the process before left in it.
    ///
    /// A file that cannot be read is set aside with a warning; a directory that cannot be used leaves the process without
    /// a journal, with a warning.
    static func open(directory: String, logger: Logger) async -> (journal: SessionJournal, left: JournalFile?)? {
        let journal = SessionJournal(store: JournalStore(directory: directory, name: "sessions.json"), logger: logger)
        do throws(EngineError) {
            let bytes = try await journal.store.open()
            return (journal, bytes.isEmpty ? nil : try await journal.parse(bytes))
        } catch {
            logger.warning("sessions will not outlive this process: \(error)")
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
        let place = try await store.setAside()
        logger.warning(
            "what the last process left cannot be read and is set aside",
            metadata: ["path": "\(place)", "reason": "\(reason)"]
        )
        return nil
    }

    /// The groups that a record is made of.
    private static let kept: StateFields = [.identity, .phase, .position, .duration, .settings, .subtitles]

    func receive(_ change: EngineChange) {
        switch change {
        case .changed(_, let fields) where fields.isDisjoint(with: Self.kept): break
        case .changed, .closed: notify.yield()
        case .noticed, .seeked, .cued, .defaultSession: break
        }
    }

    /// Writes until it is cancelled.
    func run(_ engine: Engine, httpPort: Int) async {
        var written: JournalFile?
        for await _ in news {
            repeat {
                do { try await Task.sleep(for: Self.settling) } catch { return }
                let entries = await engine.records().map(JournalFile.Entry.init)
                let file = JournalFile(httpPort: httpPort, sessions: entries)
                if file != written, await write(file) { written = file }
                guard entries.contains(where: \.isPlaying) else { break }
                do { try await Task.sleep(for: Self.interval - Self.settling) } catch { return }
            } while !Task.isCancelled
            if Task.isCancelled { return }
        }
    }

    /// Whoever ends the process by hand wants its sessions ended too.
    func clear() async { await store.remove() }

    private func write(_ file: JournalFile) async -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(file) else { return false }  // Numbers and strings always encode.
        do throws(EngineError) {
            try await store.write(Array(data))
            return true
        } catch {
            logger.warning("the sessions cannot be written down: \(error)")
            return false
        }
    }
}
