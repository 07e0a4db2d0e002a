// SPDX-License-Identifier: Apache-2.0

import EngineClient
import Server
import Wire
import IPCTestKit
import Testing

@Suite("Following a watch across engine restarts", .timeLimit(.minutes(10)))
struct FollowTests {
    @Test("the watch continues with the next engine on the socket, and returns a client connected to that engine")
    func goesOn() async throws {
        try await withSocketPath { path in
            var first: IPCServer? = try await serve(FakeEngineService(), on: path)
            let client = try await EngineClient.connect(socket: path)
            var events = client.follow(quiet, retryInterval: .milliseconds(5)).makeAsyncIterator()
            let film = try await client.load(LoadRequest(source: "/first"))
            guard case .event(.snapshot(film)) = try await events.next() else {
                Issue.record("no snapshot of the first engine")
                return
            }
            await first?.shutdown()
            // Releases its lock, as the end of a process does.
            first = nil
            guard case .disconnected(let loss) = try await events.next() else {
                Issue.record("the end was not reported")
                return
            }
            #expect(loss.isConnectionLoss)
            let service = FakeEngineService()
            let state = service.addSession("/second")
            async let restarted = restart(service, path)
            guard case .connected(let fresh) = try await events.next() else {
                Issue.record("not connected again")
                return
            }
            #expect(try await fresh.state() == state)
            guard case .event(.snapshot(state)) = try await events.next() else {
                Issue.record("no snapshot of the second engine")
                return
            }
            try await restarted.shutdown()
        }
    }

    @Test("following a session ends with the session")
    func ends() async throws {
        try await withClient { service, client in
            let state = service.addSession()
            var events = client.follow(WatchOptions(.session(state.id), timeInterval: nil)).makeAsyncIterator()
            _ = try await events.next()
            service.close(state.id)
            guard case .event(.closed(state.id, nil)) = try await events.next() else {
                Issue.record("the end of the session was not reported")
                return
            }
            #expect(try await events.next() == nil)
            #expect(try await events.next() == nil)
        }
    }

    @Test("an error from the engine is thrown, and not retried")
    func refused() async throws {
        try await withClient { _, client in
            var events = client.follow(WatchOptions(.session(SessionID(rawValue: "nobody")))).makeAsyncIterator()
            do throws(EngineClientError) {
                _ = try await events.next()
                Issue.record("no error")
            } catch {
                #expect(error.code == .sessionNotFound)
            }
            let after = try await events.next()
            #expect(after == nil)
        }
    }

    @Test("waiting for an engine ends when the task is cancelled")
    func cancelled() async throws {
        try await withSocketPath { path in
            let waiting = Task { try await EngineClient.connect(socket: path, retryingEvery: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(30))
            waiting.cancel()
            let error = await #expect(throws: EngineClientError.self) { try await waiting.value }
            #expect(error?.status == .cancelled)
        }
    }

    @Test("an invalid socket path is rejected before any attempt to connect")
    func badPath() async throws {
        let error = await #expect(throws: EngineClientError.self) { try await EngineClient.connect(socket: "relative") }
        #expect(error?.status == .invalidArgument && error?.isConnectionLoss == false)
    }

    /// Serves again after a pause in which no server listens.
    private func restart(_ service: FakeEngineService, _ path: String) async throws -> IPCServer {
        try await Task.sleep(for: .milliseconds(50))
        return try await serve(service, on: path)
    }

    private let quiet = WatchOptions(timeInterval: nil)
}
