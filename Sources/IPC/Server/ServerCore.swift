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
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var isShuttingDown = false

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
    }

    var limits: ServerLimits { quota.limits }

    /// Call once clients can connect to the side socket.
    func offerSideSocket(at path: String) { sideSocketPath = path }

    // MARK: Connections

    var connectionCount: Int { connections.count }

    var hasRoomForConnection: Bool { connections.count < limits.connections && !isShuttingDown }

    func add(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = nil }

    /// Shuts every connection down. A connection closes itself once its bytes are sent.
    func shutDown() {
        isShuttingDown = true
        for connection in connections.values { connection.shutDown() }
    }

    func closeAll() {
        watches.stop()
        for connection in connections.values { connection.close() }
    }
}
