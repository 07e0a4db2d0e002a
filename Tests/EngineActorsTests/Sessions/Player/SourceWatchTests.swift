// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Reading
@testable import Sessions

@Suite("What a session says while its source is being opened", .timeLimit(.minutes(10)))
struct SourceWatchTests {
    private final class Observer: EngineObserver {
        let changes: AsyncStream<EngineChange>
        private let continuation: AsyncStream<EngineChange>.Continuation

        init() { (changes, continuation) = AsyncStream.makeStream(of: EngineChange.self) }

        func receive(_ change: EngineChange) { continuation.yield(change) }

        /// Waits for a state that satisfies `condition`.
        func state(_ condition: (SessionState) -> Bool) async {
            for await case .changed(let state, _) in changes where condition(state) { return }
        }

        /// Waits for a notice.
        func notice(_ code: String) async {
            for await case .noticed(_, let notice) in changes where notice.code == code { return }
        }
    }

    private let engine = Engine(configuration: EngineConfiguration())
    private let observer = Observer()
    private let source = ScriptedSource([1], isRemote: true)

    private func session() -> PlaybackSession {
        let record = SessionRecord(
            id: SessionID(rawValue: "a"),
            token: String(repeating: "a", count: 40),
            request: LoadRequest(source: "http://127.0.0.1/film")
        )
        let session = engine.maker.add(record, isRestored: false)
        engine.hub.add(observer)
        return session
    }

    private func tell(_ delivery: SourceDelivery) { source.wait.withLock { _ = $0?.yield(delivery) } }

    @Test("A wait is part of the state, with a notice and the number of requests, before the source is open")
    func opening() async {
        let session = session()
        await session.sourceFound(SourceWatch.PendingSource(source))
        source.facts.withLock { ($0.traffic.requests, $0.traffic.retries) = (6, 5) }
        tell(.waits(.retrying(status: 503)))
        await observer.state { $0.phase == .opening && $0.sourceWait == .retrying(status: 503) }
        await observer.notice("source.waiting")
        await observer.state { $0.statistics.traffic.requests == 6 && $0.statistics.traffic.retries == 5 }
        tell(.resumed)
        await observer.state { $0.sourceWait == nil }
        await observer.notice("source.resumed")
        await session.stop()
    }

    @Test("A wait that begins before the session has learnt of the source is not missed")
    func early() async {
        let session = session()
        let pending = SourceWatch.PendingSource(source)
        tell(.waits(.silent))
        await session.sourceFound(pending)
        await observer.state { $0.sourceWait == .silent }
        await session.stop()
    }

    @Test("A wait that ends with a failure is not followed by the notice that the server delivers again")
    func givenUp() async {
        let session = session()
        await session.sourceFound(SourceWatch.PendingSource(source))
        tell(.waits(.silent))
        tell(.givenUp)
        tell(.waits(.retrying(status: 403)))
        var codes: [String] = []
        for await change in observer.changes {
            if case .noticed(_, let notice) = change { codes.append(notice.code) }
            if case .changed(let state, _) = change, state.sourceWait == .retrying(status: 403) { break }
        }
        #expect(!codes.contains("source.resumed"))
        await session.stop()
    }

    @Test("A session whose source could not be opened waits for nothing")
    func failure() async {
        let session = session()
        await session.sourceFound(SourceWatch.PendingSource(source))
        tell(.waits(.silent))
        await observer.state { $0.sourceWait == .silent }
        await session.fail(opening: EngineError(.sourceUnreachable, "scripted"))
        #expect(engine.hub.state(of: session.id)?.sourceWait == nil)
    }
}
