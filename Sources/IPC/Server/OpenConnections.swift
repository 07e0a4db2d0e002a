// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The open connections of a server. Used only on its event loop.
struct OpenConnections {
    private var all: [ObjectIdentifier: ServerConnection] = [:]
    /// Connections and watches.
    private var crowd = Crowd()

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ connection: ServerConnection) { all[ObjectIdentifier(connection)] = connection }

    /// - Parameter watches: how many watches all connections have.
    mutating func remove(_ connection: ServerConnection, of watches: Int) {
        // With this connection, whose memory is not free yet.
        if crowd.changed(to: all.count + watches) { returnFreeMemory() }
        all[ObjectIdentifier(connection)] = nil
    }

    func forEach(_ body: (ServerConnection) -> Void) { all.values.forEach(body) }
}
