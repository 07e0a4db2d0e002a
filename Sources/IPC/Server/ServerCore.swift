// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging
internal import NIOCore

/// Everything the server has on its event loop: the connections, the hub, the timers of watches.
///
/// Never leaves the event loop; `IPCServer` reaches it by hopping there.
final class ServerCore {
    let loop: any EventLoop
    let service: any EngineService
    let limits: ServerLimits
    let logger: Logger
    let methods = MethodTable()
    let hub = WatchHub()
    let inbox: ChangeInbox
    /// Of all connections; bounded by `ServerLimits.heldRequestBytes`.
    var heldRequestBytes = 0
    private(set) var runningTaskCount = 0
    /// Open `Render` calls.
    var rendererCount = 0
    private(set) var isShuttingDown = false
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var flushQueue: [ServerConnection] = []
    private var tickers: [Duration: Scheduled<Void>] = [:]

    init(
        loop: any EventLoop,
        service: any EngineService,
        inbox: ChangeInbox,
        limits: ServerLimits,
        logger: Logger
    ) {
        self.loop = loop
        self.service = service
        self.inbox = inbox
        self.limits = limits
        self.logger = logger
    }

    // MARK: Connections

    var connectionCount: Int { connections.count }

    var hasRoomForConnection: Bool { connections.count < limits.connections && !isShuttingDown }

    func add(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = nil }

    /// Tells every client to go. Connections close by themselves once that is sent.
    func shutDown() {
        isShuttingDown = true
        for connection in connections.values { connection.shutDown() }
    }

    func closeAll() {
        for ticker in tickers.values { ticker.cancel() }
        tickers = [:]
        for connection in connections.values { connection.close() }
    }

    /// One visit of the loop flushes all connections that a change has reached.
    func scheduleFlush(_ connection: ServerConnection) {
        flushQueue.append(connection)
        guard flushQueue.count == 1 else { return }
        loop.assumeIsolated().execute {
            let waiting = self.flushQueue
            self.flushQueue = []
            for connection in waiting { connection.flush() }
        }
    }

    // MARK: Changes

    /// Brings the hub up to what the engine has said so far.
    func drain() {
        let changes = inbox.drain()
        guard !changes.isEmpty else { return }
        for change in changes { hub.apply(change) }
        startTickers()
    }

    // MARK: Time

    /// One timer an interval, running only while somebody watches a playhead that moves.
    func startTickers() {
        for interval in hub.intervalsInNeed where tickers[interval] == nil {
            schedule(interval, at: .now() + TimeAmount(clamping: interval))
        }
    }

    private func schedule(_ interval: Duration, at deadline: NIODeadline) {
        tickers[interval] = loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.tickers[interval] = nil
            guard self.hub.tick(interval) else { return }
            let next = deadline + TimeAmount(clamping: interval)
            self.schedule(interval, at: max(next, .now()))
        }
    }

    // MARK: Tasks

    /// Runs engine work off the loop and comes back with its result.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(EngineError) -> Value,
        completion: @escaping (Result<Value, EngineError>) -> Void
    ) -> Task<Void, Never> {
        runningTaskCount += 1
        let back = NIOLoopBound((core: self, completion: completion), eventLoop: loop)
        let loop = loop
        return Task {
            let result: Result<Value, EngineError>
            do throws(EngineError) { result = .success(try await body()) } catch { result = .failure(error) }
            loop.execute {
                back.value.core.runningTaskCount -= 1
                back.value.completion(result)
            }
        }
    }
}
