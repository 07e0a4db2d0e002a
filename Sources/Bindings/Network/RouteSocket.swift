// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// A socket on which the kernel reports changes of links and routes (rtnetlink(7)).
///
/// Thread-safety: safe; only one thread should receive. Never blocks.
package final class RouteSocket: Sendable {
    package enum Received: Hashable, Sendable {
        /// One or more messages, each with its header.
        case messages([UInt8])
        case nothing
        /// The kernel has dropped messages, because the socket's buffer was full (`ENOBUFS`).
        case lost
    }

    /// More than any message about one link or route needs.
    private static let byteLimit = 32 << 10

    let descriptor: CInt

    package init() throws(Errno) {
        let descriptor = csystem_route_socket()
        guard descriptor >= 0 else { throw Errno(in: "socket(AF_NETLINK)") }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Asks for all routes that exist now. They are received like changes, but with `NLM_F_MULTI`, and end with
    /// `NLMSG_DONE`. If the kernel cannot be asked, nothing is received.
    package func requestRoutes() { _ = csystem_request_routes(descriptor) }

    package func receive() -> Received {
        var isLost = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.byteLimit) { buffer, count in
            let received = unsafe csystem_receive_from_kernel(descriptor, buffer.baseAddress, buffer.count)
            isLost = received < 0 && errno == ENOBUFS
            count = max(0, received)
        }
        return isLost ? .lost : bytes.isEmpty ? .nothing : .messages(bytes)
    }
}
