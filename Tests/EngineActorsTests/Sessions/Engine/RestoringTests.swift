// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Sessions
@testable import Subtitles

@Suite("Sessions of an earlier process", .timeLimit(.minutes(10)))
struct RestoringTests {
    private func record(_ id: String, token: Character, length: Int = 32) -> SessionRecord {
        SessionRecord(
            id: SessionID(rawValue: id),
            token: String(repeating: token, count: length),
            request: LoadRequest(source: "/nowhere/at/all.mkv")
        )
    }

    @Test("are named without password and query if they are not opened again")
    func shown() {
        let error = SessionRestoration.banned("https://me:secret@example.net/film.mkv?token=hidden")
        #expect(error.code == .sourceCrashed && error.message.contains("https://example.net/film.mkv"))
        #expect(!"\(error)".contains("secret") && !"\(error)".contains("hidden"))
        let missing = EngineError.noSubtitles(
            .automatic,
            in: [],
            of: "https://me:secret@example.net/film.mkv?token=hidden"
        )
        #expect(missing.message.contains("film.mkv") && !missing.message.contains("secret"))
    }

    @Test("are restored, except for duplicates, empty ids, short tokens and those beyond the limit")
    func lost() async throws {
        var configuration = EngineConfiguration()
        configuration.sessionLimit = 2
        let engine = Engine(configuration: configuration)
        let lost = await engine.restoreAndOpen([
            record("5", token: "a"), record("5", token: "b"), record("6", token: "a"), record("", token: "c"),
            record("7", token: "d", length: 31), record("8", token: "e"), record("9", token: "f"),
        ])
        #expect(lost.map(\.rawValue) == ["5", "6", "", "7", "9"])
        #expect(await engine.sessions().sessions.map(\.id.rawValue) == ["5", "8"])
        #expect(engine.sessions.nextID().rawValue == "9", "no new session gets the id of a restored one")
    }

    /// The error of a session once its source could not be opened.
    private func failure(of id: SessionID, in engine: Engine) async throws -> EngineError.Code? {
        await engine.sessions[id]?.untilOpen()
        while case .opening = try await engine.state(of: id).phase { await Task.yield() }
        if case .error(let error) = try await engine.state(of: id).phase { return error.code }
        return nil
    }

    @Test("are published when they are restored, and their sources are opened only later")
    func openedLater() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).mkv").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var late = record("1", token: "a")
        late.request.source = path
        let engine = Engine(configuration: EngineConfiguration())
        let restoration = await engine.restore([late])
        // Another engine, which was asked later, has already failed to open the file.
        let other = Engine(configuration: EngineConfiguration())
        #expect(await other.restoreAndOpen([late]).isEmpty)
        #expect(try await failure(of: late.id, in: other) == .sourceNotFound)
        #expect(try await engine.state(of: late.id).phase == .opening)
        try Data(repeating: 0, count: 1000).write(to: URL(filePath: path))
        restoration.open()
        let code = try #require(await failure(of: late.id, in: engine), "1,000 zeros are no media")
        #expect(code != .sourceNotFound, "it was opened before the file existed")
    }
}

extension Engine {
    /// Restores sessions and begins to open their sources. Returns the sessions that are not restored.
    func restoreAndOpen(_ records: [SessionRecord]) async -> [SessionID] {
        let restoration = await restore(records)
        restoration.open()
        return restoration.lost
    }
}
