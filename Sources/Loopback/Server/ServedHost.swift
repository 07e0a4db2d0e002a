// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOPosix

/// The host in the URLs of a server. A server that is bound to all addresses of the machine has none of its own that
/// another machine could open: its URLs have the address from which the machine reaches others by its default route.
enum ServedHost {
    /// Addresses for documentation (RFC 5737, RFC 3849), to which only default routes lead. Nothing is sent to them.
    private static let outside = ["0.0.0.0": ["192.0.2.1"], "::": ["192.0.2.1", "2001:db8::1"]]

    /// - Parameter bound: the numeric address to which the server is bound.
    /// - Returns: `bound`, unless it stands for all addresses. Without a default route, 127.0.0.1.
    static func host(
        boundTo bound: String,
        source: (_ target: String) async -> String?
    ) async -> String {
        guard let targets = outside[bound] else { return bound }
        for target in targets {
            if let address = await source(target) { return address }
        }
        return "127.0.0.1"
    }

    /// The address from which this machine sends to `target`. `nil` if no route leads there.
    static func source(to target: String, on group: MultiThreadedEventLoopGroup) async -> String? {
        do {
            // Connecting a datagram socket only chooses the route.
            let socket = try await DatagramBootstrap(group: group).connect(
                to: SocketAddress(ipAddress: target, port: 9)
            ).get()
            let address = socket.localAddress?.ipAddress
            _ = try? await socket.close()  // The socket has carried nothing.
            return address
        } catch {
            return nil
        }
    }
}
