// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Foundation
import Logging
import Testing

@testable import Sessions

@Suite("The journal of an engine", .timeLimit(.minutes(10)))
struct SessionJournalTests {
    private let logger = Logger(label: "journal") { _ in SwiftLogNoOpLogHandler() }
    private let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID())").path

    private func record() -> SessionRecord {
        SessionRecord(
            id: SessionID(rawValue: "1"),
            token: String(repeating: "a", count: 40),
            request: LoadRequest(source: "/nowhere/at/all.mkv")
        )
    }

    /// A copy of the directory, as a process that is killed now would leave it.
    private func killed() throws -> String {
        let copy = "\(folder)-\(UUID())"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        return copy
    }

    @Test("A command is in the journal when it is answered", arguments: [false, true])
    func acknowledged(isSynced: Bool) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let opened = await SessionJournal.open(directory: folder, isSynced: isSynced, logger: logger)
        let engine = Engine(configuration: EngineConfiguration(), journal: opened.journal)
        #expect(await engine.restoreAndOpen([record()]).isEmpty)
        let commands: [(Command, @Sendable (SessionRecord) -> Bool)] = [
            (.player(.setVolume(0.25)), { $0.volume == 0.25 }),
            (.player(.setMuted(true)), { $0.isMuted }),
            (.player(.setRate(1.5)), { $0.rate == 1.5 }),
            (.player(.setLooping(true)), { $0.isLooping }),
            (.tracks(.selectSubtitles(.none)), { $0.request.options.subtitles == .none }),
            (.filters(.add(PictureFilter("hflip"))), { $0.treatment.filters.map(\.filter.name) == ["hflip"] }),
            (.output(.selectPath(nil)), { $0.path == nil }),
        ]
        for (command, isKept) in commands {
            do { _ = try await engine.perform(CommandRequest(session: record().id, command: command)) } catch {
                // The source does not exist, so the path cannot be chosen. A rejected command need not be kept.
            }
            let copy = try killed()
            defer { try? FileManager.default.removeItem(atPath: copy) }
            let left = await SessionJournal.open(directory: copy, isSynced: isSynced, logger: logger)
            #expect(isKept(try #require(left.records.first)), "\(command)")
        }
        _ = try await engine.perform(CommandRequest(session: record().id, command: .stop))
        let copy = try killed()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        #expect(await SessionJournal.open(directory: copy, isSynced: false, logger: logger).records.isEmpty)
    }

    private static let keptFields: [StateFields] = [.identity, .phase, .position, .duration, .settings, .subtitles]

    /// Two journals run, and one of them gets only changes that are not kept. The other one must be
    /// the first to record its sessions.
    @Test("A change without a command is written if its field is kept, and otherwise not", arguments: keptFields)
    func changes(kept: StateFields) async {
        let (calls, call) = AsyncStream.makeStream(of: StateFields.self)
        let still = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        let state = SessionState(id: record().id, source: record().request.source, url: "", position: still)
        var running: [Task<Void, Never>] = []
        for fields in [[.buffered, .production, .statistics], kept] as [StateFields] {
            let directory = "\(folder)-\(fields.rawValue)"
            let journal = await SessionJournal.open(directory: directory, isSynced: false, logger: logger).journal
            let task = Task {
                await journal.run(httpPort: 1) {
                    call.yield(fields)
                    return (isPlaying: false, trouble: nil)
                }
                try? FileManager.default.removeItem(atPath: directory)
            }
            running.append(task)
            journal.receive(.changed(state, fields: fields))
        }
        var arrivals = calls.makeAsyncIterator()
        let first = await arrivals.next()
        #expect(first == kept)
        for task in running {
            task.cancel()
            await task.value
        }
    }

    @Test("With an unusable directory, sessions are served, and their clients get one notice")
    func unusable() async throws {
        let opened = await SessionJournal.open(directory: "/proc/engined", isSynced: false, logger: logger)
        #expect(opened.records.isEmpty && opened.losses.count == 1)
        let engine = Engine(configuration: EngineConfiguration(), journal: opened.journal)
        let notices = NoticeCollector()
        await engine.observe(notices)
        #expect(await engine.restoreAndOpen([record()]).isEmpty)
        _ = try await engine.perform(CommandRequest(session: record().id, command: .player(.setVolume(0.5))))
        _ = try await engine.perform(CommandRequest(session: record().id, command: .player(.setVolume(0.6))))
        let codes = notices.codes.filter { $0.hasPrefix("journal.") }
        #expect(codes == ["journal.not_written"], "once, not for each command")
    }

    /// The volume of the only session that a process finds in `directory`; `nil` unless there is exactly one.
    private func volume(in directory: String) async -> Double? {
        let left = await SessionJournal.open(directory: directory, isSynced: false, logger: logger)
        return left.records.count == 1 ? left.records[0].volume : nil
    }

    private func volumeNow() async throws -> Double? {
        let copy = try killed()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        return await volume(in: copy)
    }

    private func setVolume(_ volume: Double, _ engine: Engine) async throws {
        _ = try await engine.perform(CommandRequest(session: record().id, command: .player(.setVolume(volume))))
    }

    /// An engine with one session, whose volume of 0.25 is in the directory of the journal.
    private func engineWithSession() async throws -> Engine {
        let opened = await SessionJournal.open(directory: folder, isSynced: false, logger: logger)
        let engine = Engine(configuration: EngineConfiguration(), journal: opened.journal)
        #expect(await engine.restoreAndOpen([record()]).isEmpty)
        try await setVolume(0.25, engine)
        #expect(try await volumeNow() == 0.25)
        return engine
    }

    @Test("A command to a session without a row is answered once the row exists")
    func early() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let opened = await SessionJournal.open(directory: folder, isSynced: false, logger: logger)
        let engine = Engine(configuration: EngineConfiguration(), journal: opened.journal)
        #expect(await engine.restoreAndOpen([]).isEmpty)
        // A load has published this session, but has not recorded it yet.
        _ = engine.maker.add(record(), isRestored: false)
        for volume in [0.25, 0.5] {
            try await setVolume(volume, engine)
            #expect(try await volumeNow() == volume)
        }
    }

    @Test("A session whose end could not be written is restored as it was")
    func endNotWritten() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await engineWithSession()
        let copy = try killed()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try await Saboteur().refuse("DELETE", in: copy)
        let left = await SessionJournal.open(directory: copy, isSynced: false, logger: logger)
        let engine = Engine(configuration: EngineConfiguration(), journal: left.journal)
        #expect(await engine.restoreAndOpen(left.records).isEmpty)
        try await setVolume(0.75, engine)
        _ = try await engine.perform(CommandRequest(session: record().id, command: .stop))
        let after = "\(copy)-after"
        try FileManager.default.copyItem(atPath: copy, toPath: after)
        defer { try? FileManager.default.removeItem(atPath: after) }
        #expect(await volume(in: after) == 0.75)
    }

    @Test("The second of two stops is answered when the first is in the journal")
    func stoppedTwice() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let engine = try await engineWithSession()
        // What the first stop has done when the second begins.
        let session = try #require(engine.sessions.remove(record().id))
        _ = engine.keeping.journal?.end(session.id, token: session.token)
        await engine.end(session.id, because: nil)
        #expect(try await volumeNow() == nil)
    }

    @Test("If neither rows nor slots can be written at the start, the slots of the last process stay")
    func fullDisk() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await engineWithSession()
        let copy = try killed()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try await Saboteur().refuse("INSERT", in: copy)
        // The file of slots cannot be made: a directory has its name.
        let place = "\(copy)/sessions.players.new"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let left = await SessionJournal.open(directory: copy, isSynced: false, logger: logger)
        #expect(left.records.first?.volume == 0.25)
        #expect(
            await Engine(configuration: EngineConfiguration(), journal: left.journal).restoreAndOpen(left.records)
                .isEmpty
        )
        let after = "\(copy)-after"
        try FileManager.default.copyItem(atPath: copy, toPath: after)
        defer { try? FileManager.default.removeItem(atPath: after) }
        #expect(await volume(in: after) == 0.25)
    }

    @Test("Slots that cannot be put in place are not trusted")
    func notAdopted() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // The file of slots cannot be renamed to this path, because a directory with content has it.
        let place = "\(folder)/sessions.players/taken"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        _ = try await engineWithSession()
    }

    @Test("A banned source is not tried shortly after its last crash")
    func pause() async throws {
        for (age, isRefused) in [(CrashHistory.pause, false), (CrashHistory.pause - 1, true), (-1, false)] {
            let engine = Engine(configuration: EngineConfiguration())
            var bad = record()
            bad.crashes = CrashHistory(crashes: CrashHistory.limit, lastCrash: 100_000 - age)
            #expect(await engine.restoreAndOpen([bad]).isEmpty)
            for session in [nil, bad.id] {
                var request = LoadRequest(source: bad.request.source)
                request.session = session
                var code: EngineError.Code?
                do { _ = try engine.maker.session(for: request, at: 100_000) } catch { code = error.code }
                #expect(code == (isRefused ? .sourceCrashed : nil))
            }
            let other = LoadRequest(source: "/nowhere/else.mkv")
            #expect(throws: Never.self) { try engine.maker.session(for: other, at: 100_000) }
        }
    }

    @Test("A banned source gets one more try; it is recognised by its whole URL, not by the part that is shown")
    func tryOfBanned() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let opened = await SessionJournal.open(directory: folder, isSynced: false, logger: logger)
        let engine = Engine(configuration: EngineConfiguration(), journal: opened.journal)
        var bad = record()
        bad.request = LoadRequest(source: "http://user:secret@127.0.0.1:1/film.mkv?key=1")
        bad.crashes = CrashHistory(crashes: CrashHistory.limit)
        #expect(await engine.restoreAndOpen([bad]).isEmpty)
        for (source, crashes) in [(bad.request.source, 1), ("http://127.0.0.1:1/film.mkv?key=2", 0)] {
            let session = try engine.maker.session(for: LoadRequest(source: source))
            let bytes = try Data(contentsOf: URL(filePath: "\(folder)/sessions.players"))
            let slot = RestoredSlots(Array(bytes)).slot(ofToken: session.token, at: 0)
            #expect(slot?.history.crashes == crashes, "\(source)")
        }
    }

    @Test("A session with two crashes is in the error phase and is not opened; other sessions are opened")
    func banned() async throws {
        let engine = Engine(configuration: EngineConfiguration())
        var (bad, suspect, good) = (record(), record(), record())
        (suspect.id, suspect.token) = (SessionID(rawValue: "2"), String(repeating: "b", count: 40))
        (good.id, good.token) = (SessionID(rawValue: "3"), String(repeating: "c", count: 40))
        bad.crashes = CrashHistory(crashes: CrashHistory.limit)
        suspect.crashes = CrashHistory(killedOpenings: 1)
        #expect(await engine.restoreAndOpen([bad, suspect, good]).isEmpty)
        #expect(try await failure(of: bad, in: engine) == .sourceCrashed)
        for each in [suspect, good] {
            await engine.sessions[each.id]?.untilOpen()
            while case .opening = try await engine.state(of: each.id).phase { await Task.yield() }
            #expect(try await failure(of: each, in: engine) == .sourceNotFound, "it was opened")
        }
        // Suspects are opened in order, so the session with two crashes would have been opened before the other
        // suspect.
        #expect(try await failure(of: bad, in: engine) == .sourceCrashed, "it was not opened")
    }

    /// The error of a session; `nil` if it is in another phase.
    private func failure(of record: SessionRecord, in engine: Engine) async throws -> EngineError.Code? {
        if case .error(let error) = try await engine.state(of: record.id).phase { error.code } else { nil }
    }
}

/// Changes databases, on a thread that may block.
private actor Saboteur {
    private let executor = ThreadExecutor(name: "saboteur")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// From now on, statements that begin with `verb` fail for the table of sessions.
    func refuse(_ verb: String, in directory: String) throws {
        let database = try SQLiteDatabase(path: "\(directory)/sessions.db")
        try database.execute("PRAGMA locking_mode = EXCLUSIVE")
        try database.execute(
            "CREATE TRIGGER refuse BEFORE \(verb) ON sessions BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )
    }
}

private final class NoticeCollector: EngineObserver {
    private let collected = Locked<[String]>([])

    var codes: [String] { collected.withLock(\.self) }

    func receive(_ change: EngineChange) {
        if case .noticed(_, let notice) = change { collected.withLock { $0.append(notice.code) } }
    }
}
