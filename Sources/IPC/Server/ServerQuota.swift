// SPDX-License-Identifier: Apache-2.0

/// Counts the resources that all clients use together, against the limits of the server. Used only on the event loop.
final class ServerQuota {
    let limits: ServerLimits
    private var heldRequestBytes = 0
    private var handovers = 0
    fileprivate var watches = 0
    fileprivate var renderers = 0

    init(_ limits: ServerLimits) { self.limits = limits }

    // MARK: Bytes of unfinished requests

    func hasRoom(forRequestBytes count: Int) -> Bool { heldRequestBytes + count <= limits.heldRequestBytes }

    /// Records how many bytes of one request the server holds.
    ///
    /// - Parameter before: the number that was recorded before for this request.
    func holdRequestBytes(_ count: Int, insteadOf before: Int) { heldRequestBytes += count - before }

    // MARK: Connections to the side socket

    var hasRoomForHandover: Bool { handovers < limits.handovers }

    func addHandover() { handovers += 1 }

    func removeHandover() { handovers -= 1 }
}

/// Counts the tasks and calls of one client, against the limits of the client and of the server. Used only on the event
/// loop.
///
/// Callers must follow each `take` that returns `true` by one `giveBack` of the same kind.
final class ClientQuota {
    private let server: ServerQuota
    private var tasks = 0
    private var watches = 0
    private var renderers = 0

    init(of server: ServerQuota) { self.server = server }

    /// Counts a call whose work is about to begin. The call counts until its work has returned, even if it is
    /// cancelled.
    func takeTask() -> Bool {
        guard tasks < server.limits.runningTasksPerConnection else { return false }
        tasks += 1
        return true
    }

    func giveBackTask() { tasks -= 1 }

    func takeWatch() -> Bool {
        guard watches < server.limits.watchesPerConnection, server.watches < server.limits.watches else { return false }
        watches += 1
        server.watches += 1
        return true
    }

    func giveBackWatch() {
        watches -= 1
        server.watches -= 1
    }

    func takeRenderer() -> Bool {
        guard renderers < server.limits.renderersPerConnection, server.renderers < server.limits.renderers
        else { return false }
        renderers += 1
        server.renderers += 1
        return true
    }

    func giveBackRenderer() {
        renderers -= 1
        server.renderers -= 1
    }
}
