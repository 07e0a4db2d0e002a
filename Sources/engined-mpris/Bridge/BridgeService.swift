// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineRuntime
internal import Logging

/// Runs the player while its name is on the bus.
struct BridgeService: Sendable {
    let bus: BusConnection
    let bridge: Bridge
    let socket: String
    let manager: ServiceManager
    let logger: Logger

    init(socket: String, manager: ServiceManager, logger: Logger) throws(BusError) {
        bus = try BusConnection(objectPath: MPRIS.objectPath)
        bridge = Bridge(bus: bus)
        self.socket = socket
        self.manager = manager
        self.logger = logger
    }

    /// The parts of a session's state that bus clients can see.
    private static let options = WatchOptions(
        .defaultSession,
        timeInterval: nil,
        fields: [.identity, .phase, .position, .duration, .media, .settings, .chapter, .metadata, .guide]
    )

    /// Serves until a signal arrives.
    ///
    /// - Throws: when the bus connection is lost, or the engine rejects the watch.
    func run(names: [String], until signals: AsyncStream<String>) async throws {
        let failure = try await withThrowingTaskGroup(of: EngineClientError?.self) { group in
            group.addTask {
                defer { bus.stop() }
                do throws(EngineClientError) { try await followEngine() } catch { return error }
                return nil
            }
            group.addTask {
                await serveCalls()
                return nil
            }
            group.addTask {
                for await signal in signals {
                    logger.info("ending", metadata: ["signal": "\(signal)"])
                    bus.stop()
                }
                return nil
            }
            defer { group.cancelAll() }
            try await bus.run(names: names) { name in
                logger.info("ready", metadata: ["name": "\(name)"])
                manager.notify("READY=1", "STATUS=\(name)")
            }
            manager.notify("STOPPING=1")
            group.cancelAll()
            return try await group.reduce(nil as EngineClientError?) { $0 ?? $1 }
        }
        if let failure, failure.status != .cancelled { throw failure }
    }

    /// Watches the default session, on each engine that appears.
    private func followEngine() async throws(EngineClientError) {
        let client = try await EngineClient.connect(socket: socket, retryingEvery: Self.retryInterval)
        await bridge.connect(client)
        logger.info("connected")
        for try await event in client.follow(Self.options, retryInterval: Self.retryInterval) {
            switch event {
            case .event(let event): await bridge.apply(event)
            case .connected(let client):
                await bridge.connect(client)
                logger.info("connected")
            case .disconnected(let error):
                await bridge.disconnect()
                logger.info("waiting for an engine", metadata: ["reason": "\(error)"])
            }
        }
    }

    private static let retryInterval = Duration.milliseconds(250)

    /// Answers property reads at once and runs commands in order. Opening a slow source delays neither.
    private func serveCalls() async {
        let (commands, sink) = AsyncStream<Bridge.Work>.makeStream()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await work in commands { await bridge.perform(work) }
            }
            for await call in bus.calls {
                guard let work = await bridge.take(call) else { continue }
                if case .open = work.answer {
                    group.addTask { await bridge.perform(work) }
                } else {
                    sink.yield(work)
                }
            }
            sink.finish()
            group.cancelAll()
        }
    }
}
