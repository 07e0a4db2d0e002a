// SPDX-License-Identifier: Apache-2.0

/// Counts what all clients hold together, against the limits for the whole server. Used only on the event loop.
final class ServerQuota {
    let limits: ServerLimits
    private var heldRequestBytes = 0
    private var handovers = 0
    fileprivate var watches = 0
    fileprivate var renderers = 0

    init(_ limits: ServerLimits) { self.limits = limits }

    // MARK: Bytes of unfinished requests

    func hasRoom(forRequestBytes count: Int) -> Bool { heldRequestBytes + count <= limits.heldRequestBytes }

    /// Notes how many bytes of one request are held now.
    ///
    /// - Parameter before: how many of them were held until now.
    func holdRequestBytes(_ count: Int, insteadOf before: Int) { heldRequestBytes += count - before }

    // MARK: Connections to the side socket

    var hasRoomForHandover: Bool { handovers < limits.handovers }

    func addHandover() { handovers += 1 }

    func removeHandover() { handovers -= 1 }
}

/// Counts what one client has open, against the limits for one client and for the whole server. Used only on the event
/// loop.
///
/// Each `take` that returns `true` is followed by one `giveBack` of the same kind.
final class ClientQuota {
    private let server: ServerQuota
    private var tasks = 0
    private var watches = 0
    private var renderers = 0

    init(of server: ServerQuota) { self.server = server }

    /// Counts a call whose work is beginning. It counts until the work has returned, even if the call is cancelled.
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
