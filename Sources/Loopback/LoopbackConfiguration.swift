// SPDX-License-Identifier: Apache-2.0

/// Where the server listens and how much it lets a client cost.
package struct LoopbackConfiguration: Hashable, Sendable {
    /// A numeric address. Anything but loopback opens the user's media to the network: only by an explicit wish.
    package var address = "127.0.0.1"
    /// 0: the kernel chooses.
    package var port = 0
    /// A socket that listens already, instead of `address` and `port`.
    package var descriptor: CInt?

    /// Open connections. One more closes the one that has been idle longest, or is refused when none is idle.
    package var connectionLimit = 4096
    /// Bytes of a request line with its line end; more is answered 414.
    package var requestLineLimit = 4096
    /// Bytes of a request head, request line included; more is answered 431.
    package var headLimit = 8192

    /// From the first byte of a request head to its last.
    package var headTimeout = Duration.seconds(10)
    /// Without a request.
    package var idleTimeout = Duration.seconds(75)
    /// For a provider to answer; then 503.
    package var holdLimit = Duration.seconds(30)
    /// Without the client taking a byte of an answer. Generous, because a paused player holds half a segment for as
    /// long as its user likes, and costs no more than one bounded buffer.
    package var stallTimeout = Duration.seconds(900)

    package init() {}
}
