// SPDX-License-Identifier: Apache-2.0

/// The server's counters since it started.
package struct ServeCounters: Hashable, Sendable {
    package var openConnections = 0
    package var acceptedConnections: UInt64 = 0
    /// Connections closed to make room, or refused because there was none.
    package var refusedConnections: UInt64 = 0
    package var requests: UInt64 = 0
    /// Responses with a status of 400 or above.
    package var refusals: UInt64 = 0
    /// Body bytes written to the channel.
    package var bodyBytes: UInt64 = 0
    /// Requests whose client disconnected, or which were released, while the provider worked on them.
    package var abandonedRequests: UInt64 = 0
    /// Connections closed because they made no progress for too long.
    package var timeouts: UInt64 = 0

    package init() {}
}
