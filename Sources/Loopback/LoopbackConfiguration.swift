// SPDX-License-Identifier: Apache-2.0

/// The server's address and the limits for clients.
package struct LoopbackConfiguration: Hashable, Sendable {
    /// A numeric address. Anything but a loopback address exposes the user's media to the network, so it must be
    /// configured explicitly.
    package var address = "127.0.0.1"
    /// 0 lets the kernel choose a port.
    package var port = 0
    /// A listening socket to use instead of `address` and `port`.
    package var descriptor: CInt?

    /// The maximum number of open connections. A new connection beyond it replaces the longest idle one, or is refused
    /// if none is idle.
    package var connectionLimit = 4096
    /// The maximum length of a request line in bytes, including the line end; longer ones are answered with 414.
    package var requestLineLimit = 4096
    /// The maximum length of a request head in bytes, including the request line; longer ones are answered with 431.
    package var headLimit = 8192

    /// The time limit from the first byte of a request head to its last.
    package var headTimeout = Duration.seconds(10)
    /// How long a connection may stay open without a request.
    package var idleTimeout = Duration.seconds(75)
    /// How long the provider may take before the server answers 503.
    package var holdLimit = Duration.seconds(30)
    /// How long a call of control over HTTP may take before the server answers 504. Opening a source on a slow server
    /// takes long.
    package var controlLimit = Duration.seconds(120)
    /// How long a client may take to accept one piece of a response (`OutgoingResponse.pieceSize`). The limit is
    /// generous, because a paused player may keep half a segment unread for a long time.
    package var stallTimeout = Duration.seconds(900)
    /// The maximum size of the bodies that are being sent, in bytes. Beyond it, the clients that take longest to accept
    /// a piece are disconnected (`heldPatience`).
    package var heldLimit = 256 << 20
    /// How long a client may take to accept one piece of a response once the bodies exceed `heldLimit`.
    package var heldPatience = Duration.seconds(2)

    package init() {}
}
