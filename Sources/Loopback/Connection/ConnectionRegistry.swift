// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import NIOCore

/// The connections of a server, and the timer that enforces their deadlines.
///
/// Confined to the server's event loop, except `counters`.
final class ConnectionRegistry {
    let counters: Locked<ServeCounters>

    private let configuration: LoopbackConfiguration
    private let eventLoop: any EventLoop
    private var connections: [ObjectIdentifier: ConnectionHandler] = [:]
    private var crowd = Crowd()
    private var isSweeping = false
    private var isStopping = false
    private var runningTasks = 0
    private var drained: (() -> Void)?

    init(configuration: LoopbackConfiguration, eventLoop: any EventLoop, counters: Locked<ServeCounters>) {
        self.counters = counters
        self.configuration = configuration
        self.eventLoop = eventLoop
    }

    /// Adds a new connection. Returns `false` if there is no room for it, or if the server is stopping.
    func admit(_ connection: ConnectionHandler) -> Bool {
        counters.withLock { $0.acceptedConnections += 1 }
        guard !isStopping, makeRoom() else {
            counters.withLock { $0.refusedConnections += 1 }
            return false
        }
        connections[ObjectIdentifier(connection)] = connection
        let count = connections.count
        counters.withLock { $0.openConnections = count }
        scheduleSweep()
        return true
    }

    func remove(_ connection: ConnectionHandler) {
        // With this connection, whose memory is not free yet.
        if crowd.changed(to: connections.count) { returnFreeMemory() }
        connections[ObjectIdentifier(connection)] = nil
        let count = connections.count
        counters.withLock { $0.openConnections = count }
    }

    /// Counts running provider tasks, so that the event loop outlives the callbacks that they still have to make.
    func taskStarted() { runningTasks += 1 }

    func taskEnded() {
        runningTasks -= 1
        drainIfDone()
    }

    /// Answers every held request, closes every connection, and accepts no more.
    func releaseAll() {
        isStopping = true
        for connection in connections.values { connection.release() }
    }

    /// Calls `action` once no provider task is running. Call after `releaseAll`.
    func whenDrained(_ action: @escaping () -> Void) {
        drained = action
        drainIfDone()
    }

    private func drainIfDone() {
        guard runningTasks == 0, let action = drained else { return }
        drained = nil
        action()
    }

    private func makeRoom() -> Bool {
        guard connections.count >= configuration.connectionLimit else { return true }
        let idle = connections.values.filter(\.isIdle).min { $0.deadline < $1.deadline }
        guard let idle else { return false }
        counters.withLock { $0.refusedConnections += 1 }
        idle.abort()
        return true
    }

    /// Short enough that none of these timeouts is exceeded by much more than a quarter. `heldLimit` is enforced at
    /// each sweep.
    private var sweepInterval: TimeAmount {
        let shortest =
            [
                configuration.headTimeout, configuration.idleTimeout, configuration.holdLimit,
                configuration.stallTimeout,
            ].min() ?? .seconds(1)
        return max(.milliseconds(10), min(.seconds(1), TimeAmount(shortest / 4)))
    }

    private func scheduleSweep() {
        guard !isSweeping, !connections.isEmpty else { return }
        isSweeping = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: sweepInterval) { bound.value.sweep() }
    }

    private func sweep() {
        isSweeping = false
        let now = eventLoop.now
        for connection in connections.values where connection.deadline <= now { connection.expire() }
        let held = HeldBodies(limit: configuration.heldLimit, patience: configuration.heldPatience)
        let sending = connections.values.compactMap { connection in connection.held.map { (connection, $0) } }
        for index in held.excess(sending.map(\.1), now: now) { sending[index].0.expire() }
        scheduleSweep()
    }
}
