// SPDX-License-Identifier: Apache-2.0

import EngineModel
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
        let lost = await engine.restore([
            record("5", token: "a"), record("5", token: "b"), record("6", token: "a"), record("", token: "c"),
            record("7", token: "d", length: 31), record("8", token: "e"), record("9", token: "f"),
        ])
        #expect(lost.map(\.rawValue) == ["5", "6", "", "7", "9"])
        #expect(await engine.sessions().sessions.map(\.id.rawValue) == ["5", "8"])
        #expect(engine.sessions.nextID().rawValue == "9", "no new session gets the id of a restored one")
    }
}
