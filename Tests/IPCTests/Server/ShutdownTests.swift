// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import EngineRuntime
import EngineTestKit
import IPCTestKit
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Server

@Suite("Shutting the server down", .timeLimit(.minutes(10)))
struct ShutdownTests {
    /// Longer than a test may take.
    private static let long = Duration.seconds(3600)

    private enum Event { case worked, shutDown }

    /// A server without clients, and the work of a call, which ends when the gate opens.
    private struct Bench {
        /// What has ended so far, in order.
        let events = Locked<[Event]>([])
        private let gate = Gate()
        private let core: NIOLoopBound<ServerCore>
        private let worked: EventLoopFuture<Void>

        /// - Parameter patience: the longest time for which a shutdown waits.
        init(patience: Duration) async throws {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            var limits = ServerLimits()
            limits.shutdown = patience
            (core, worked) = try await loop.submit { [limits, gate, events] in
                let core = ServerCore(
                    loop: loop,
                    service: FakeEngineService(),
                    inbox: ChangeInbox {},
                    limits: limits,
                    logger: Logger(label: "test")
                )
                let worked = loop.makePromise(of: Void.self)
                _ = core.tasks.run {
                    await gate.pass()
                } completion: { _ in
                    events.withLock { $0.append(.worked) }
                    worked.succeed()
                }
                return (NIOLoopBound(core, eventLoop: loop), worked.futureResult)
            }.get()
            await gate.arrival()
        }

        func shutDown() async {
            await core.shutDown()
            events.withLock { $0.append(.shutDown) }
        }

        /// Returns once a shutdown has begun to wait.
        func beginning() async throws {
            while try await core.eventLoop.submit({ [core] in core.value.hasRoomForConnection }).get() {
                await Task.yield()
            }
        }

        /// Lets the work end.
        func finish() async throws {
            gate.open()
            try await worked.get()
        }
    }

    @Test("a shutdown ends when the last running work has returned")
    func drained() async throws {
        let bench = try await Bench(patience: Self.long)
        async let end: Void = bench.shutDown()
        try await bench.beginning()
        try await bench.finish()
        await end
        #expect(bench.events.withLock(\.self) == [.worked, .shutDown])
    }

    @Test("a shutdown ends once the connection of an idle client has been closed")
    func disconnected() async throws {
        var limits = ServerLimits()
        limits.shutdown = Self.long
        try await withSocketPath { path in
            let server = try await serve(FakeEngineService(), on: path, limits: limits)
            let client = try await EngineClient.connect(socket: path)
            await server.shutdown()
            await #expect(throws: EngineClientError.self) { try await client.sessions() }
            await client.close()
        }
    }

    @Test("a shutdown does not wait for work that takes longer than the limit")
    func limited() async throws {
        let bench = try await Bench(patience: .milliseconds(1))
        await bench.shutDown()
        try await bench.finish()
        #expect(bench.events.withLock(\.self) == [.shutDown, .worked])
    }

    @Test("a shutdown that is cancelled, at whatever moment, does not wait")
    func cancelled() async throws {
        for pauses in 0..<20 {
            let bench = try await Bench(patience: Self.long)
            let shutdown = Task { await bench.shutDown() }
            for _ in 0..<pauses { await Task.yield() }
            shutdown.cancel()
            await shutdown.value
            try await bench.finish()
            #expect(bench.events.withLock(\.self) == [.shutDown, .worked])
        }
    }
}
