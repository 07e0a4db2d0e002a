// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import EngineRuntime
package import Glibc

/// Lends `path` as the address of a Unix socket (unix(7)).
///
/// - Precondition: the path has at most `SocketPath.longestPath` bytes.
package func withSocketAddress(
    _ path: FilePath,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
        for (index, byte) in path.bytes.prefix(SocketPath.longestPath).enumerated() {
            unsafe buffer[index] = byte
        }
    }
    return unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            unsafe body(generic, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// Connects to a Unix socket. While the backlog is full, a blocking socket waits, and a non-blocking one fails with
/// `EAGAIN` (connect(2)).
///
/// - Returns: a descriptor, which the caller closes.
package func connectedSocket(to path: FilePath, isBlocking: Bool) throws(SystemError) -> CInt {
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, isBlocking ? kind : kind | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(errno, in: "socket") }
    guard path.bytes.count <= SocketPath.longestPath else {
        close(descriptor)
        throw SystemError(ENAMETOOLONG, in: "connect")
    }
    guard unsafe withSocketAddress(path, { unsafe connect(descriptor, $0, $1) }) == 0 else {
        let error = SystemError(errno, in: "connect")
        close(descriptor)
        throw error
    }
    return descriptor
}
