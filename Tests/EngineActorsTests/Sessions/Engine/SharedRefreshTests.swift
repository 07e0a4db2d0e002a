// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Reading
@testable import Sessions
@testable import Transfers

@Suite("A refresh of a source that several sessions share", .timeLimit(.minutes(10)))
struct SharedRefreshTests {
    private static let old = "http://127.0.0.1/film?sig=1"
    private static let new = "http://127.0.0.1/new?sig=2"

    private let engine = Engine(configuration: EngineConfiguration())
    private let loop = TransferLoop()

    private func session(_ id: String = "a", _ source: String = old) -> PlaybackSession {
        let record = SessionRecord(
            id: SessionID(rawValue: id),
            token: String(repeating: id, count: 40),
            request: LoadRequest(source: source)
        )
        return engine.maker.add(record, isRestored: true)
    }

    private func configuration(_ url: String) throws -> HTTPSourceConfiguration {
        HTTPSourceConfiguration(TransferRequest(try ResourceURL(url), byteLimit: .max))
    }

    private func source() throws -> HTTPSource {
        HTTPSource(try configuration(Self.old), loop: loop, cache: RangeCache(byteLimit: 1 << 20))
    }

    private func refresh(_ source: HTTPSource) throws {
        var configuration = try configuration(Self.new)
        configuration.refreshed = SourceAddress(Self.new, HTTPOptions())
        source.refresh(configuration)
    }

    @Test("applies to a session that is still opening it: its state and its record have the new URL")
    func opening() async throws {
        let (session, source) = (session(), try source())
        await session.sourceFound(SourceWatch.PendingSource(source))
        #expect(await session.request().source == Self.old)
        try refresh(source)
        #expect(await session.request().source == Self.new, "the source itself keeps its URL")
        #expect(await session.follow(source))
        #expect(engine.hub.state(of: session.id)?.source == "http://127.0.0.1/new")
        await session.stop()
    }

    @Test(
        "revives all sessions that could not open it, but none of another source, and none that has failed for good"
    )
    func revival() async throws {
        let sessions = [session("a"), session("b"), session("c", "http://127.0.0.1/other"), session("d")]
        let codes: [EngineError.Code] = [.sourceRefused, .sourceRefused, .sourceRefused, .sourceChanged]
        for (session, code) in zip(sessions, codes) { await session.fail(opening: EngineError(code, "scripted")) }
        let refreshes = SharedRefreshes(engine.hub, engine.sessions, engine.keeping, engine.sources)
        let reopened = Locked<[SessionID: String]>([:])
        var refresh = SourceRefresh()
        refresh.url = Self.new
        let state = try await refreshes.perform(refresh, on: sessions[0]) {
            [hub = engine.hub] session, record throws(EngineError) in
            reopened.withLock { $0[session.id] = record.request.source }
            guard let state = hub.state(of: session.id) else { throw EngineError(.sessionNotFound, "scripted") }
            return state
        }
        #expect(state?.id == sessions[0].id)
        #expect(reopened.withLock { $0 } == [sessions[0].id: Self.new, sessions[1].id: Self.new])
    }

    @Test("does not apply to a session with another source of the same URL")
    func other() async throws {
        let (session, source) = (session(), try source())
        await session.sourceFound(SourceWatch.PendingSource(try self.source()))
        try refresh(source)
        #expect(await !session.follow(source))
        #expect(await session.request().source == Self.old)
        await session.stop()
    }
}
