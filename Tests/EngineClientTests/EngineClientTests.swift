// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineRuntime
import IPCTestKit
import Server
import Testing
import Wire

@Suite("Client against server over a Unix socket", .timeLimit(.minutes(10)))
struct EngineClientTests {
    @Test("load, state, list and the commands carry whole states")
    func commands() async throws {
        try await withClient { _, client in
            var request = LoadRequest(source: "/film.mkv")
            request.options.isAutoplay = true
            let loaded = try await client.load(request)
            #expect(loaded.source == "/film.mkv")
            #expect(loaded.phase == .playing)
            #expect(try await client.state() == loaded)
            let paused = try await client.pause(loaded.id)
            #expect(paused.state.phase == .paused)
            let sought = try await client.seek(nil, .position(.seconds(12.5)))
            #expect(sought.state.position.position == .seconds(12.5))
            let back = try await client.seek(nil, .relative(.seconds(-2)))
            #expect(back.state.position.position == .seconds(10.5))
            let rate = try await client.setRate(nil, 7)
            #expect(rate.isClamped && rate.state.position.requestedRate == 2)
            #expect(try await client.state(of: loaded.id) == rate.state)
            let list = try await client.sessions()
            #expect(list.sessions == [rate.state])
            #expect(list.defaultSession == loaded.id)
            _ = try await client.stop()
            #expect(try await client.sessions().sessions.isEmpty)
            #expect(try await client.isServing())
        }
    }

    @Test("connecting fails if the engine accepts the connection but never answers, and the error names the socket")
    func mute() async throws {
        try await withSocketPath { path in
            let listener = try UnixSocketListener(SocketPath.resolve(path))
            defer { listener.removeName() }
            let error = await #expect(throws: EngineClientError.self) {
                try await EngineClient.connect(socket: path, patience: .milliseconds(100))
            }
            #expect(error?.status == .deadlineExceeded)
            #expect(error?.message.contains(path) == true)
            let retrying = Task { try await EngineClient.connect(socket: path, retryingEvery: .milliseconds(1)) }
            retrying.cancel()
            await #expect(throws: EngineClientError.self) { try await retrying.value }
        }
    }

    @Test("a failure keeps its code, its message and its cause")
    func failure() async throws {
        try await withClient { _, client in
            await #expect(
                throws: EngineClientError(
                    .notFound,
                    "no file /missing, 100 % sure — «nirgends»",
                    code: .sourceNotFound,
                    cause: "open: ENOENT"
                )
            ) { try await client.load(LoadRequest(source: "/missing")) }
            let error = await #expect(throws: EngineClientError.self) { try await client.state() }
            #expect(error?.code == .sessionNotFound)
        }
    }

    @Test("invalid arguments are rejected with the field's name")
    func badArguments() async throws {
        try await withClient { service, client in
            service.addSession()
            let rate = await #expect(throws: EngineClientError.self) { try await client.setRate(nil, .nan) }
            #expect(rate?.status == .invalidArgument && rate?.message == "rate is not a number")
            let source = await #expect(throws: EngineClientError.self) { try await client.probe("") }
            #expect(source?.message == "source is empty")
            var load = LoadRequest(source: "/x")
            load.startPosition = .seconds(-1)
            let negative = load
            let start = await #expect(throws: EngineClientError.self) { try await client.load(negative) }
            #expect(start?.message == "start_position_us is below 0")
        }
    }

    @Test("a command that expects an old revision is rejected with ABORTED")
    func revisionConflict() async throws {
        try await withClient { service, client in
            let state = service.addSession()
            let request = CommandRequest(session: state.id, ifRevision: 99, command: .player(.play))
            let error = await #expect(throws: EngineClientError.self) { try await client.perform(request) }
            #expect(error?.status == .aborted && error?.code == .revisionConflict)
        }
    }

    @Test("a segment sent in many messages arrives whole")
    func inspect() async throws {
        try await withClient { service, client in
            let bytes = [UInt8](repeating: 7, count: 9 << 20)
            let report = try await client.inspectSegment(bytes)
            #expect(report.problems == ["\(bytes.count) bytes"])
        }
    }

    @Test("a deadline ends the call on both sides")
    func deadline() async throws {
        try await withClient { service, client in
            let error = await #expect(throws: EngineClientError.self) {
                try await client.probe("/slow", timeout: .milliseconds(50))
            }
            #expect(error?.status == .deadlineExceeded)
            while service.world.withLock({ $0.cancelledProbeCount }) == 0 { await Task.yield() }
        }
    }

    @Test("cancelling the task cancels the engine's work")
    func cancellation() async throws {
        try await withClient { service, client in
            let task = Task { try await client.probe("/slow") }
            while service.world.withLock({ $0.slowProbeCount }) == 0 { await Task.yield() }
            task.cancel()
            let error = await #expect(throws: EngineClientError.self) { try await task.value }
            #expect(error?.status == .cancelled)
            while service.world.withLock({ $0.cancelledProbeCount }) == 0 { await Task.yield() }
        }
    }

    @Test("without a server the client fails at once with UNAVAILABLE")
    func nothingListens() async throws {
        let error = await #expect(throws: EngineClientError.self) {
            try await EngineClient.connect(socket: "/tmp/there-is-no-engine.sock")
        }
        #expect(error?.isConnectionLoss == true)
    }
}
