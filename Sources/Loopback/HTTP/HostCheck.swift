// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Decides whether requests with a given `Host` may access this server.
///
/// A foreign site can point its own name at 127.0.0.1 (DNS rebinding); the browser then sends that name as the `Host`.
/// Numeric addresses cannot be rebound. The port is not checked, because a forwarded port differs from the server's.
struct HostCheck {
    private let boundAddress: String
    private let isLoopback: Bool

    init(boundAddress: String) {
        self.boundAddress = boundAddress
        isLoopback = boundAddress.hasPrefix("127.") || boundAddress == "::1"
    }

    func allows(_ host: String) -> Bool {
        guard let name = Self.name(of: host) else { return false }
        if name == "127.0.0.1" || name.lowercased() == "localhost" || name == boundAddress { return true }
        if isLoopback { return false }
        // The server is bound to a network address, but clients may reach this machine by another of its addresses.
        return Self.isNumeric(name)
    }

    private static func isNumeric(_ name: String) -> Bool {
        do {
            _ = try SocketAddress(ipAddress: name, port: 0)
            return true
        } catch {
            return false
        }
    }

    /// Returns `host` without port and brackets, or `nil` if what follows the name is not a port number.
    private static func name(of host: String) -> String? {
        var name = host[...]
        var port: Substring = ""
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            name = host[host.index(after: host.startIndex)..<end]
            let rest = host[host.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.dropFirst()
        } else if let colon = host.firstIndex(of: ":") {
            name = host[..<colon]
            port = host[host.index(after: colon)...]
        }
        guard port.count <= 5, port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return String(name)
    }
}
