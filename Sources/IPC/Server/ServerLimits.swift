// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// What all clients together, and each of them, may cost.
package struct ServerLimits: Sendable {
    /// Connections beyond are accepted, told GOAWAY and closed.
    package var connections = 4096
    /// How long a connection may stay without a word of HTTP/2.
    package var preface: Duration = .seconds(10)
    /// How long `shutdown` waits for clients to take their last bytes.
    package var shutdown: Duration = .seconds(1)
    /// Calls of one client that run at a time, cancelled ones that have not returned included.
    package var runningTasksPerConnection = 256
    /// Open `Watch` calls, of all clients and of one.
    package var watches = 16_384
    package var watchesPerConnection = 112
    /// Open `Render` calls, of all clients and of one.
    package var renderers = 256
    package var renderersPerConnection = 16
    /// Connections to the side socket, of all clients together.
    package var attachments = 64
    /// Bytes of unfinished request messages, of all clients together.
    package var heldRequestBytes = 256 << 20
    /// One segment given to `InspectSegment`.
    package var inspectedBytes = 128 << 20

    package init() {}

    let http2 = HTTP2Limits()

    var headerListSize: UInt32 { http2.headerListSize }
    var prefaceTimeout: TimeAmount { TimeAmount(clamping: preface) }
}
