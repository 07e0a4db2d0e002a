// SPDX-License-Identifier: Apache-2.0

/// The server's counters since it started.
package struct ServeCounters: Hashable, Sendable {
    package var openConnections = 0
    package var acceptedConnections: UInt64 = 0
    /// Connections closed to make room, or refused because there was none or the server was stopping.
    package var refusedConnections: UInt64 = 0
    package var requests: UInt64 = 0
    /// Responses with a status of 400 or above.
    package var refusals: UInt64 = 0
    /// Body bytes written to the channel.
    package var bodyBytes: UInt64 = 0
    /// Requests given up while a provider worked on them, because the client disconnected, the time was up, or the
    /// server stopped.
    package var abandonedRequests: UInt64 = 0
    /// Deadlines that passed. The request was then answered with an error, or the connection was closed. Includes
    /// clients that were disconnected because of `heldLimit`.
    package var timeouts: UInt64 = 0

    package init() {}
}
