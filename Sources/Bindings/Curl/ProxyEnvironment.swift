// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Glibc

/// The proxies that environment variables name, under libcurl's rules (libcurl-env(3)). The engine applies the rules
/// itself, so that it knows whether a request goes through a proxy.
package struct ProxyEnvironment: Sendable {
    /// The variables of this process.
    package static let process = ProxyEnvironment { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    private let value: @Sendable (String) -> String?

    /// - Parameter variable: returns the value of a variable; `nil` if it is not set.
    package init(_ variable: @escaping @Sendable (String) -> String?) {
        value = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The proxy for a server: `none` or a URL, which may lack its scheme.
    package func proxy(for url: ResourceURL) -> HTTPProxy {
        let scheme = url.scheme == .ftpes ? "ftp" : url.scheme.rawValue
        var names = ["\(scheme)_proxy", "\(scheme.uppercased())_PROXY", "all_proxy", "ALL_PROXY"]
        // In a CGI program, HTTP_PROXY is the request's header field `Proxy`, which any client can send.
        if scheme == "http" { names.remove(at: 1) }
        guard let proxy = names.lazy.compactMap(value).first, !excludes(url.origin.host) else { return .none }
        return .url(proxy)
    }

    /// Whether `no_proxy` lists a host.
    private func excludes(_ host: String) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        if list == "*" { return true }
        let entries = list.split { [" ", "\t", ","].contains($0) }
        let address = Self.address(host)
        return entries.contains { entry in
            guard let address else { return Self.isDomain(entry, of: host) }
            return Self.isNetwork(entry, of: address)
        }
    }

    /// Whether `host` is the domain of an entry, or below it.
    private static func isDomain(_ entry: Substring, of host: String) -> Bool {
        var (entry, host) = (entry.lowercased()[...], host.lowercased()[...])
        if entry.hasSuffix(".") { entry.removeLast() }
        if entry.hasPrefix(".") { entry.removeFirst() }
        if host.hasSuffix(".") { host.removeLast() }
        return !entry.isEmpty && (entry == host || host.hasSuffix("." + entry))
    }

    /// Whether `address` is the address of an entry, or within its network (`10.0.0.0/8`).
    private static func isNetwork(_ entry: Substring, of address: [UInt8]) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let network = Self.address(String(parts[0])), network.count == address.count else { return false }
        var bits = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        // As in libcurl, a length that is 0 or not a number compares whole addresses.
        if bits == 0 { bits = address.count * 8 }
        guard (1...address.count * 8).contains(bits) else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard address.prefix(whole) == network.prefix(whole) else { return false }
        return rest == 0 || (address[whole] ^ network[whole]) >> (8 - UInt8(rest)) == 0
    }

    /// The bytes of a numeric address (`inet_pton`). `nil` for a host name.
    private static func address(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }
}

extension HTTPProxy {
    /// The proxy of a request: `none` or a URL.
    func resolved(for url: ResourceURL, in environment: ProxyEnvironment = .process) -> HTTPProxy {
        self == .environment ? environment.proxy(for: url) : self
    }
}
