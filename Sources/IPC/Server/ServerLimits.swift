// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import Wire

/// Resource limits, for all clients together and for each client.
package struct ServerLimits: Sendable {
    /// Connections beyond this limit are accepted, sent GOAWAY and closed.
    package var connections = 4096
    /// How long the server waits for the first HTTP/2 frame of a connection.
    package var preface: Duration = .seconds(10)
    /// How long `IPCServer.shutdown` waits for clients to read their last bytes, and for tasks to end.
    package var shutdown: Duration = .seconds(1)
    /// Concurrent calls of one client, including cancelled calls whose work has not returned.
    package var runningTasksPerConnection = 256
    /// Open `Watch` calls, in total and per client.
    package var watches = 16_384
    package var watchesPerConnection = 112
    /// Open `Render` calls, in total and per client.
    package var renderers = 256
    package var renderersPerConnection = 16
    /// Connections to the side socket, in total.
    package var handovers = 64
    /// Bytes of unfinished requests, in total: incomplete messages, and the segments sent to `InspectSegment`.
    package var heldRequestBytes = 256 << 20
    /// Bytes that one call of `InspectSegment` may send: an init segment and a media segment together.
    package var inspectedBytes = 128 << 20

    package init() {}

    let http2 = HTTP2Limits()

    var headerListSize: UInt32 { http2.headerListSize }
    var prefaceTimeout: TimeAmount { TimeAmount(clamping: preface) }
    var shutdownTimeout: TimeAmount { TimeAmount(clamping: shutdown) }
}
