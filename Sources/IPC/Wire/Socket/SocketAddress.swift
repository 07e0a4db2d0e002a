// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// Lends `path` as the address of a Unix socket (unix(7)).
///
/// - Precondition: the path fits; `SocketPath` has checked it.
package func withSocketAddress(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
        for (index, byte) in path.utf8.prefix(SocketPath.longestPath).enumerated() {
            unsafe buffer[index] = byte
        }
    }
    return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            unsafe body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
