// SPDX-License-Identifier: Apache-2.0

import EngineClient
import IPCTestKit
import Testing

@Suite("Watching over the socket", .timeLimit(.minutes(10)))
struct WatchTests {
    @Test("a watch begins with a snapshot and continues with deltas of rising revision")
    func snapshotThenDeltas() async throws {
        try await withClient { service, client in
            let state = service.addSession()
            var events = client.watch(WatchOptions(timeInterval: nil)).makeAsyncIterator()
            #expect(try await events.next() == .snapshot(state))
            let paused = try await client.pause().state
            #expect(try await events.next() == .delta(StateDelta(fields: .phase, state: only(.phase, paused))))
            service.notice(state.id, Notice(.warning, "plan.index_rejected", "holes"))
            #expect(
                try await events.next() == .notice(state.id, Notice(.warning, "plan.index_rejected", "holes"))
            )
        }
    }

    @Test("a watch of the default session gets the snapshot of a session that is loaded later")
    func followsDefault() async throws {
        try await withClient { service, client in
            var events = client.watch(WatchOptions(timeInterval: nil)).makeAsyncIterator()
            async let first = events.next()
            try await Task.sleep(for: .milliseconds(20))
            let state = service.addSession()
            #expect(try await first == .snapshot(state))
        }
    }

    @Test("time events arrive while the playhead moves")
    func time() async throws {
        try await withClient { service, client in
            let state = service.addSession(moving: true)
            var events = client.watch(WatchOptions(timeInterval: .milliseconds(10))).makeAsyncIterator()
            _ = try await events.next()
            for _ in 0..<3 {
                guard case .time(let time)? = try await events.next() else {
                    Issue.record("not a time event")
                    return
                }
                #expect(time.position > .zero && time.rate == 1 && time.revision == state.revision)
            }
        }
    }

    @Test("a watch of one session ends after the event that reports the end of the session")
    func ends() async throws {
        try await withClient { service, client in
            let state = service.addSession()
            var events = client.watch(WatchOptions(.session(state.id), timeInterval: nil)).makeAsyncIterator()
            _ = try await events.next()
            let error = EngineError(.sourceChanged, "the file was replaced")
            service.close(state.id, error: error)
            #expect(try await events.next() == .closed(state.id, error))
            #expect(try await events.next() == nil)
        }
    }

    @Test("a watch of an unknown session fails with `sessionNotFound`")
    func unknown() async throws {
        try await withClient { _, client in
            var events = client.watch(WatchOptions(.session(SessionID(rawValue: "nobody")))).makeAsyncIterator()
            do throws(EngineClientError) {
                _ = try await events.next()
                Issue.record("no error")
            } catch {
                #expect(error.code == .sessionNotFound)
            }
        }
    }

    @Test("the end of the server is reported as a lost connection")
    func serverEnds() async throws {
        let watching = try await { () async throws -> Task<EngineClientError?, Never> in
            var result: Task<EngineClientError?, Never>?
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            try await withServer { service, path in
                service.addSession()
                let client = try await EngineClient.connect(socket: path)
                result = Task {
                    defer { arrival.finish() }
                    var events = client.watch().makeAsyncIterator()
                    do throws(EngineClientError) {
                        while try await events.next() != nil { arrival.yield() }
                        return nil
                    } catch { return error }
                }
                for await _ in arrivals { break }
            }
            return result ?? Task { nil }
        }()
        #expect(await watching.value?.isConnectionLoss == true)
    }

    /// The state as a delta of `fields` carries it.
    private func only(_ fields: StateFields, _ state: SessionState) -> SessionState {
        var bare = SessionState(
            id: state.id,
            source: "",
            url: "",
            position: PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        )
        bare.duration = .zero
        bare.apply(StateDelta(fields: fields, state: state))
        return bare
    }
}
