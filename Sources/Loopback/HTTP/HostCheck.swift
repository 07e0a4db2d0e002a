// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Whether a `Host` may speak to this server.
///
/// A page of a foreign site can point its own name at 127.0.0.1 (DNS rebinding); the browser then sends that name here.
/// Numeric addresses cannot be rebound. The port is not looked at: a forwarded port is another one than ours.
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
        // Bound to a network: the client knows this machine by an address that need not be the one that was bound.
        return (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    /// `host` without its port and brackets, or `nil` when the port is not a number.
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
