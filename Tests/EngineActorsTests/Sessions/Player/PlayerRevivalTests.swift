// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Reading
@testable import Sessions

@Suite("A player whose session has failed", .timeLimit(.minutes(10)))
struct PlayerRevivalTests {
    private static let refused = EngineError(.sourceRefused, "scripted")

    private func opened() -> PlayerStateMachine {
        var machine = PlayerStateMachine(position: .zero)
        machine.opened(at: 0)
        machine.setDuration(.seconds(60))
        return machine
    }

    /// Fails and revives a machine, and opens its source again, as a session does.
    private func revive(_ machine: inout PlayerStateMachine, after error: EngineError = refused) {
        machine.failed(error, at: 100_000_000_000)
        _ = machine.takeEffects()
        machine.revived(at: 100_000_000_000)
        let asked = machine.opened(at: 100_000_000_000)
        if asked.thenPlay { machine.play(at: 100_000_000_000) }
    }

    @Test(
        "continues with what the failure interrupted, at the same position",
        arguments: [
            ("ready", Phase.ready, 0.0), ("plays", .buffering, 3), ("paused", .paused, 3), ("seeks", .paused, 30),
            ("seeks, then plays", .buffering, 30), ("ended", .ended, 60), ("opens", .ready, 0),
            ("opens, then plays", .buffering, 0),
        ]
    )
    func revival(activity: String, phase: Phase, position: Double) {
        var machine = activity.hasPrefix("opens") ? PlayerStateMachine(position: .zero) : opened()
        switch activity {
        case "plays", "paused":
            machine.play(at: 0)
            machine.mediaAvailable(to: .seconds(3), at: 0)
            machine.tick(at: 9_000_000_000)
            if activity == "paused" { machine.pause(at: 9_000_000_000) }
        case "seeks", "seeks, then plays":
            _ = machine.seek(to: .seconds(30), thenPlay: activity != "seeks", at: 0)
        case "ended":
            machine.play(at: 0)
            machine.mediaAvailable(to: .seconds(60), at: 0)
            machine.tick(at: 61_000_000_000)
        case "opens, then plays": machine.play(at: 0)
        default: break
        }
        revive(&machine)
        #expect(machine.phase == phase)
        #expect(machine.playhead(at: 100_000_000_000) == .seconds(position))
    }

    @Test("stays where playback was when it failed")
    func place() {
        var machine = opened()
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        machine.failed(Self.refused, at: 5_000_000_000)
        #expect(machine.playhead(at: 9_000_000_000) == .seconds(5))
        machine.revived(at: 9_000_000_000)
        #expect(machine.playhead(at: 9_000_000_000) == .seconds(5))
    }

    @Test("keeps its rate and the numbers of its seeks")
    func settings() {
        var machine = opened()
        _ = machine.setRate(1.5, at: 0)
        _ = machine.seek(to: .seconds(30), at: 0)
        revive(&machine)
        #expect(machine.requestedRate == 1.5)
        #expect(machine.seek(to: .seconds(40), at: 100_000_000_000).id == 2)
    }

    @Test("continues from the target of a seek that was kept until its source would be open")
    func keptSeek() {
        var machine = PlayerStateMachine(position: .zero)
        _ = machine.keep(SeekCommand(.position(.seconds(5))))
        revive(&machine)
        #expect(machine.playhead(at: 100_000_000_000) == .seconds(5) && machine.phase == .paused)
        #expect(machine.takeEffects().isEmpty, "the seek ended with the failure")
    }

    @Test("remains in error if its source has changed; a player that has not failed is not revived")
    func unrecoverable() {
        var machine = opened()
        revive(&machine, after: EngineError(.sourceChanged, "scripted"))
        #expect(machine.phase.name == .error)
        machine = opened()
        machine.revived(at: 0)
        #expect(machine.phase == .ready)
    }

    @Test("is not playing while in error, whatever was interrupted")
    func error() {
        var machine = opened()
        machine.play(at: 0)
        machine.failed(Self.refused, at: 1)
        #expect(!machine.wantsToPlay && !machine.needsMedia)
        #expect(machine.state.interrupted == PlayerOpening(thenPlay: true, rest: .paused))
    }

    @Test(
        "Failures of the source are recoverable, except if it has changed, crashed the engine or is encrypted",
        arguments: EngineError.Code.allCases
    )
    func recoverable(code: EngineError.Code) {
        let isOfSource = code.rawValue.hasPrefix("source_")
        let isLasting = [.sourceChanged, .sourceCrashed, .sourceEncrypted].contains(code)
        #expect(code.isRecoverable == (isOfSource && !isLasting || code == .cancelled))
    }
}

@Suite("A session whose source could not be opened", .timeLimit(.minutes(10)))
struct SessionRevivalTests {
    private let engine = Engine(configuration: EngineConfiguration())

    private func failed(_ source: String, _ code: EngineError.Code) async -> PlaybackSession {
        var record = SessionRecord(
            id: SessionID(rawValue: "a"),
            token: String(repeating: "a", count: 40),
            request: LoadRequest(source: source)
        )
        (record.position, record.rate, record.isPlaying) = (.seconds(40), 1.5, true)
        (record.volume, record.loopPoints) = (0.5, LoopPoints(start: .seconds(30), end: .seconds(50)))
        record.crashes = CrashHistory(killedOpenings: 1)
        let session = engine.maker.add(record, isRestored: true)
        await session.fail(opening: EngineError(code, "scripted"))
        return session
    }

    private func refresh(_ url: String?) throws -> SourceRefresh {
        var refresh = SourceRefresh()
        refresh.url = url
        refresh.headers = [try HTTPHeader(name: "X-Key", value: "2")]
        return refresh
    }

    @Test("is made again from its record with the URL and the header fields of the refresh, and keeps its token")
    func record() async throws {
        let session = await failed("http://127.0.0.1/film?sig=1", .sourceRefused)
        let found = try await session.revival(by: try refresh("http://127.0.0.1/film?sig=2"))
        let record = try #require(found)
        #expect(record.request.source == "http://127.0.0.1/film?sig=2")
        #expect(try record.request.http.headers == [HTTPHeader(name: "X-Key", value: "2")])
        #expect(record.position == .seconds(40) && record.isPlaying && record.rate == 1.5)
        #expect(record.volume == 0.5 && record.loopPoints?.start == .seconds(30))
        #expect(record.crashes == CrashHistory(killedOpenings: 1))
        let revived = try engine.maker.revive(session, from: record)
        #expect(engine.sessions[session.id] === revived && engine.sessions.session(token: session.token) === revived)
        #expect(engine.hub.state(of: session.id)?.phase == .opening)
        _ = await revived.note()
        let state = try #require(engine.hub.state(of: session.id))
        #expect(state.position.position == .seconds(40) && state.position.requestedRate == 1.5)
        #expect(state.volume == 0.5 && state.loopPoints?.end == .seconds(50))
        await revived.fail(opening: EngineError(.sourceRefused, "scripted"))
        let again = try await revived.revival(by: try refresh(nil))
        #expect(again?.isPlaying == true && again?.position == .seconds(40), "another refresh can still revive it")
        #expect(throws: EngineError.self, "it has been replaced") {
            try engine.maker.revive(session, from: record)
        }
    }

    @Test(
        "is not made again for a request that is wrong",
        arguments: [
            ("http://127.0.0.1/film", "ftp://127.0.0.1/film", "url"), ("http://127.0.0.1/film", "/etc/passwd", "url"),
            ("http://127.0.0.1/film", "gopher://127.0.0.1/film", "url"),
            ("/film", "http://127.0.0.1/film", "session_id"),
        ]
    )
    func invalid(source: String, url: String, field: String) async throws {
        let session = await failed(source, .sourceRefused)
        let refresh = try refresh(url)
        let error = await #expect(throws: EngineError.self) { try await session.revival(by: refresh) }
        #expect(error?.code == .invalidArgument && error?.field == field)
        #expect(engine.sessions[session.id] === session)
    }

    @Test("is not made again if its source has crashed the engine too often")
    func crashed() async throws {
        let session = await failed("http://127.0.0.1/film", .sourceCrashed)
        #expect(try await session.revival(by: try refresh(nil)) == nil)
    }

    @Test(
        "fails a refresh with its own error if it has failed for good",
        arguments: [EngineError.Code.sourceChanged, .sourceCrashed]
    )
    func isFinal(code: EngineError.Code) async throws {
        let session = await failed("http://127.0.0.1/film", code)
        let refresh = try refresh("http://127.0.0.1/film?sig=2")
        let error = await #expect(throws: EngineError.self) {
            try await engine.perform(CommandRequest(session: session.id, command: .source(.refresh(refresh))))
        }
        #expect(error?.code == code && error?.message.contains("scripted") == true)
    }

    @Test("A setting that forbids access to servers also holds for the URL of a refresh")
    func network() {
        let error = #expect(throws: EngineError.self) {
            // This opener has no access to servers.
            try SourceOpener().checkRefresh(of: "http://127.0.0.1/film", from: "https://127.0.0.1/film")
        }
        #expect(error?.code == .sourceAccessDenied)
    }
}
