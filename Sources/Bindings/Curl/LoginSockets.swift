// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// The sockets that libcurl opens for a transfer until the login is complete: libcurl reports nothing about a login.
///
/// libcurl closes sockets when it likes, and another file may then have the same descriptor, so each is recognized by
/// its inode.
struct LoginSockets {
    private struct Opened {
        let descriptor: CInt
        let inode: UInt64
    }

    private var sockets: [Opened] = []

    mutating func add(_ descriptor: CInt) {
        let inode = csystem_inode(descriptor)
        if inode != 0 { sockets.append(Opened(descriptor: descriptor, inode: inode)) }
    }

    /// The time since a server last sent something, or since a connection was established, in nanoseconds. `nil` if
    /// there is no established connection.
    var silence: Int64? {
        let silences = sockets.compactMap { socket -> Int64? in
            let milliseconds = csystem_silence(socket.descriptor, socket.inode)
            return milliseconds < 0 ? nil : milliseconds * 1_000_000
        }
        return silences.min()
    }
}
