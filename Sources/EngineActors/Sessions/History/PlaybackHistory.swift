// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Foundation
package import Logging
internal import Reading

/// Remembers how far each source was played, so that a later load can resume there.
///
/// It receives changes as an observer, and writes from `run`: when a source is stopped or ends, and from time to time
/// while it plays. Several engines may use the same file; each reads, changes and replaces it under a lock. Disk access
/// and the reading of sources happen on its own thread. Owned by the engine.
package actor PlaybackHistory: EngineObserver {
    /// How often the position of a playing source is written.
    private static let interval = Duration.seconds(10)
    /// One write covers all changes within this time: a write takes longer than a command.
    private static let settling = Duration.seconds(1)
    /// The size limit of the file, in bytes. The largest allowed number of entries takes less.
    private static let largestFile = 8 << 20
    /// How long to wait for the lock of another engine.
    private static let patience = Duration.seconds(2)
    /// The pause between two attempts to get that lock.
    private static let lockPause = Duration.milliseconds(10)

    private let executor = ThreadExecutor(name: "history")
    private let directory: String
    private let logger: Logger
    private nonisolated let played = Locked(PlayedSources())
    private nonisolated let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The identities of sources, by name, so that the position in a playing source is written without reading the
    /// source.
    private var identities: [String: String] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter directory: created when the first entry is written.
    package init(directory: String, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    private var path: String { "\(directory)/history.json" }

    // MARK: What is played

    package nonisolated func receive(_ change: EngineChange) {
        let isDue =
            switch change {
            case .changed(let state, _): played.withLock { $0.note(state) }
            case .closed(let session, _): played.withLock { $0.close(session, at: monotonicNanoseconds()) }
            case .noticed, .seeked, .cued, .defaultSession: false
            }
        if isDue { changes.continuation.yield() }
    }

    /// Writes until the task is cancelled. A failure is logged once, until writing works again.
    package func run() async {
        var hasFailed = false
        for await _ in changes.stream {
            repeat {
                do { try await Task.sleep(for: Self.settling) } catch { return }
                do throws(EngineError) {
                    try flush()
                    hasFailed = false
                } catch {
                    if !hasFailed { logger.warning("the history cannot be written: \(error)") }
                    hasFailed = true
                }
                guard played.withLock({ $0.isPlaying }) else { break }
                do { try await Task.sleep(for: Self.interval - Self.settling) } catch { return }
            } while !Task.isCancelled
            if Task.isCancelled { return }
        }
    }

    /// Writes what was played since the last write.
    ///
    /// - Throws: `internal` if the file cannot be written, `unavailable` if another engine does not release it.
    package func flush() throws(EngineError) {
        let progress = played.withLock { $0.take(at: monotonicNanoseconds()) }
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        var notes: [(String, HistoryEntry, PlayedProgram?)] = []
        for each in progress {
            let entry = HistoryEntry(
                source: each.source,
                position: each.position,
                duration: each.duration,
                isFinished: each.isFinished,
                playedUnixMicroseconds: now
            )
            guard let identity = known(each.source) else { continue }
            notes.append((identity, entry, each.program))
        }
        guard !notes.isEmpty else { return }
        do throws(EngineError) {
            try change { file in for note in notes { file.note(note.1, as: note.0, playing: note.2) } }
        } catch {
            played.withLock { $0.putBack(progress) }
            throw error
        }
    }

    /// The identity of a source. `nil` if the source has none, is gone or cannot be read; it cannot be resumed then
    /// either.
    private func known(_ source: String) -> String? {
        if let identity = identities[source] { return identity }
        do throws(EngineError) {
            guard let identity = try ContentIdentity.of(source) else { return nil }
            if identities.count > 256 { identities = [:] }
            identities[source] = identity
            return identity
        } catch {
            logger.info("the position in a source cannot be recorded: \(error)")
            return nil
        }
    }

    // MARK: Requests

    /// The position at which playback of a source stopped. `nil` if the source was not played, was played to its end,
    /// or cannot be read; its load then reports the error.
    ///
    /// - Parameter program: selects the program of the source that will be played.
    package func position(
        of source: String,
        playing program: ProgramSelection = .automatic
    ) throws(EngineError) -> MediaTime? {
        try flush()
        identities[source] = nil
        guard let identity = known(source), let entry = try read().entry(of: identity, playing: program),
            !entry.isFinished
        else {
            return nil
        }
        return entry.position
    }

    /// Logs why a source that should resume starts from the beginning.
    package func report(_ error: EngineError) { logger.warning("a source cannot be resumed: \(error)") }

    /// All entries, the latest first.
    package func entries() throws(EngineError) -> [HistoryEntry] {
        try flush()
        return try read().all
    }

    /// Removes the entries of a source, including those under other names of the same content. Without a source,
    /// removes everything.
    ///
    /// - Returns: how many entries were removed.
    package func clear(_ source: String?) throws(EngineError) -> Int {
        try flush()
        let identity = source.flatMap(known)
        var removed = 0
        try change { file in removed = file.remove(source: source, identity: identity) }
        return removed
    }

    // MARK: The file

    private func change(_ body: (inout HistoryFile) -> Void) throws(EngineError) {
        let lock = try locked()
        try changeAlone(body)
        _ = consume lock
    }

    /// - Precondition: the caller holds the lock of the file.
    private func changeAlone(_ body: (inout HistoryFile) -> Void) throws(EngineError) {
        var file = try read()
        let before = file
        body(&file)
        guard file != before else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes: [UInt8]
        do { bytes = Array(try encoder.encode(file)) } catch {
            throw EngineError(.internal, "the history cannot be encoded", cause: "\(error)")
        }
        do throws(Errno) {
            try SmallFile.write(bytes, to: path, makingDirectory: directory, through: "\(path).tmp")
        } catch {
            throw EngineError(.internal, "\(path) cannot be written", cause: "\(error)")
        }
    }

    /// Waits for other engines, which hold the lock only while they write.
    private func locked() throws(EngineError) -> FileLock {
        let place = "\(path).lock"
        let deadline = Deadline(in: Self.patience)
        while true {
            do throws(Errno) {
                return try FileLock(place, makingDirectory: directory)
            } catch {
                guard error.isHeldElsewhere, !deadline.hasPassed else {
                    let code: EngineError.Code = error.isHeldElsewhere ? .unavailable : .internal
                    throw EngineError(code, "\(place) cannot be locked", cause: "\(error)")
                }
                Thread.sleep(forTimeInterval: Self.lockPause / .seconds(1))
            }
        }
    }

    /// A file that is not a history is moved out of the way.
    private func read() throws(EngineError) -> HistoryFile {
        let bytes: [UInt8]
        do throws(RegularFile.OpenError) {
            bytes = try SmallFile.read(path, limit: Self.largestFile)
        } catch {
            switch error {
            case .failed(let error) where error.isNotFound: return HistoryFile()
            case .failed(let error): throw EngineError(.internal, "\(path) cannot be read", cause: "\(error)")
            case .notRegular(let kind): throw EngineError(.internal, "\(path) is \(kind), not a file")
            }
        }
        do {
            let file = try JSONDecoder().decode(HistoryFile.self, from: Data(bytes))
            if file.version == HistoryFile.currentVersion { return file }
            logger.warning(
                "the history has version \(file.version), not \(HistoryFile.currentVersion), and was moved aside"
            )
        } catch {
            logger.warning("the history cannot be read and was moved aside: \(error)")
        }
        do throws(Errno) {
            try SmallFile.move(path, to: "\(path).unreadable")
        } catch {
            throw EngineError(.internal, "\(path) cannot be moved aside", cause: "\(error)")
        }
        return HistoryFile()
    }
}
