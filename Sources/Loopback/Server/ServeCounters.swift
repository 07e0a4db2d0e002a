// SPDX-License-Identifier: Apache-2.0

/// What a server has done since it started.
package struct ServeCounters: Hashable, Sendable {
    package var openConnections = 0
    package var acceptedConnections: UInt64 = 0
    /// Closed to make room, or turned away because there was none.
    package var refusedConnections: UInt64 = 0
    package var requests: UInt64 = 0
    /// Answers with a status of 400 or above.
    package var refusals: UInt64 = 0
    /// Bytes of bodies handed to the kernel's socket buffers.
    package var bodyBytes: UInt64 = 0
    /// Requests whose client went away, or which were released, while the provider worked on them.
    package var abandonedRequests: UInt64 = 0
    /// Connections closed because nothing moved on them for too long.
    package var timeouts: UInt64 = 0

    package init() {}
}
