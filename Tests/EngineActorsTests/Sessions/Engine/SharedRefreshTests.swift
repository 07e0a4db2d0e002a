// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
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

    private func session(_ id: String = "a") -> PlaybackSession {
        let record = SessionRecord(
            id: SessionID(rawValue: id),
            token: String(repeating: id, count: 40),
            request: LoadRequest(source: Self.old)
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
