// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import NIOCore

/// The peer's identity as the kernel recorded it at connect(2): `SO_PEERCRED`, unix(7).
struct PeerCredentials: Sendable {
    /// Laid out like `struct ucred`.
    struct Raw: Sendable {
        var process: pid_t = 0
        var user: uid_t = 0
        var group: gid_t = 0
    }

    let process: pid_t
    let user: uid_t

    /// The engine's own user and root may connect.
    var isAllowed: Bool { user == geteuid() || user == 0 }

    static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
        guard let options = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        // SAFETY: SO_PEERCRED fills a `struct ucred`, three 32-bit numbers, which `Raw` is.
        let raw: EventLoopFuture<Raw> = options.unsafeGetSocketOption(
            level: .socket,
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        )
        return raw.map { PeerCredentials(process: $0.process, user: $0.user) }
    }
}
