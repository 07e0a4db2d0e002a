// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Logging
internal import NIOCore
internal import Wire

/// The server's state on its event loop: the connections, and the parts that serve all of them.
///
/// Used only on the event loop, to which `IPCServer` hops.
final class ServerCore {
    let loop: any EventLoop
    let service: any EngineService
    /// Control over HTTP; `nil` if the engine does not have it.
    let web: (any WebControlService)?
    let logger: Logger
    let methods = MethodTable()
    let quota: ServerQuota
    let tasks: EngineTasks
    let output: ServerOutput
    let watches: WatchDelivery
    /// The path of the side socket. `nil` if there is none.
    private(set) var sideSocketPath: String?
    private var connections = OpenConnections()
    private var shutdown = Shutdown.none

    private enum Shutdown {
        case none
        /// `timeout` ends the wait at the latest.
        case waits(ended: EventLoopPromise<Void>, timeout: Scheduled<Void>)
        case done
    }

    init(
        loop: any EventLoop,
        service: any EngineService,
        web: (any WebControlService)? = nil,
        inbox: ChangeInbox,
        limits: ServerLimits,
        logger: Logger
    ) {
        self.loop = loop
        self.service = service
        self.web = web
        self.logger = logger
        quota = ServerQuota(limits)
        tasks = EngineTasks(on: loop)
        output = ServerOutput(on: loop)
        watches = WatchDelivery(from: inbox, through: output, on: loop)
        tasks.notifyWhenIdle { [weak self] in self?.endWaitIfIdle() }
    }

    var limits: ServerLimits { quota.limits }

    /// Call once clients can connect to the side socket.
    func offerSideSocket(at path: String) { sideSocketPath = path }

    // MARK: Connections

    var connectionCount: Int { connections.count }

    var hasRoomForConnection: Bool {
        if case .none = shutdown { connections.count < limits.connections } else { false }
    }

    func add(_ connection: ServerConnection) { connections.add(connection) }

    func remove(_ connection: ServerConnection) {
        connections.remove(connection, of: watches.hub.watcherCount)
        endWaitIfIdle()
    }

    // MARK: Shutdown

    /// Shuts every connection down. A connection closes itself once its bytes are sent.
    ///
    /// - Returns: completed when no connection is open and no task is running, after `ServerLimits.shutdown`, or by
    ///   `endWait`.
    func shutDown() -> EventLoopFuture<Void> {
        if case .waits(let ended, _) = shutdown { return ended.futureResult }
        let ended = loop.makePromise(of: Void.self)
        let timeout = loop.assumeIsolated().scheduleTask(in: limits.shutdownTimeout) { self.endWait() }
        shutdown = .waits(ended: ended, timeout: timeout)
        connections.forEach { $0.shutDown() }
        endWaitIfIdle()
        return ended.futureResult
    }

    private func endWaitIfIdle() {
        if connections.isEmpty, tasks.runningCount == 0 { endWait() }
    }

    /// Ends the wait of a shutdown. Does nothing if no shutdown waits.
    func endWait() {
        guard case .waits(let ended, let timeout) = shutdown else { return }
        shutdown = .done
        timeout.cancel()
        ended.succeed()
    }

    func closeAll() {
        watches.stop()
        connections.forEach { $0.close() }
    }
}

extension NIOLoopBound<ServerCore> {
    /// Shuts every connection down, and returns at the end of the wait (`ServerCore.shutDown`). A cancelled task does not
    /// wait.
    func shutDown() async {
        let (core, loop) = (self, eventLoop)
        let ended = loop.flatSubmit { core.value.shutDown() }
        await withTaskCancellationHandler {
            do { try await ended.get() } catch {
                // The loop is gone, and with it everything to wait for.
            }
        } onCancel: {
            loop.execute { core.value.endWait() }
        }
    }
}
