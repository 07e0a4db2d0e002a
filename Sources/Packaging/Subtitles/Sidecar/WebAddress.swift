// SPDX-License-Identifier: Apache-2.0

/// A URL of HTTP, as far as it matters whom it asks and for what (RFC 3986 §3). Pure.
package struct WebAddress: Hashable, Sendable {
    /// The whole URL.
    package let url: String
    /// `http` or `https`.
    package let scheme: String
    /// Host and port, in lower case. Two addresses with the same scheme and authority ask the same server.
    private let authority: String
    private let hasUser: Bool
    /// From the first slash of the path to the query; may be empty.
    private let path: String
    /// The query and the fragment.
    private let rest: String

    /// `nil` for what is no URL of HTTP, or has bytes that a URL cannot have.
    package init?(_ url: String) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        let head = url.prefix(8).lowercased()
        guard head.hasPrefix("http://") || head.hasPrefix("https://") else { return nil }
        scheme = head.hasPrefix("https") ? "https" : "http"
        let behind = url.utf8.dropFirst(scheme.utf8.count + 3)
        let authority = behind.prefix { ![0x2F, 0x3F, 0x23].contains($0) }
        let host = authority.lastIndex(of: 0x40).map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.isEmpty, let name = String(host)?.lowercased() else { return nil }
        let usual = scheme == "https" ? ":443" : ":80"
        self.authority = name.hasSuffix(usual) ? String(name.dropLast(usual.count)) : name
        hasUser = host.count != authority.count
        let place = behind[authority.endIndex...]
        let path = place.prefix { ![0x3F, 0x23].contains($0) }
        self.path = String(path) ?? ""
        rest = String(place[path.endIndex...]) ?? ""
        self.url = url
    }

    package func isSameServer(as other: WebAddress) -> Bool { scheme == other.scheme && authority == other.authority }

    /// The URL as people may see it: without a user's name and password.
    package var shown: String { hasUser ? "\(scheme)://\(authority)\(path)\(rest)" : url }

    /// The last component of the path, as it is spelled there.
    package var name: String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// The same with another end of the path.
    package func replacingExtension(_ old: String, by new: String) -> WebAddress? {
        guard path.hasSuffix(old) else { return nil }
        let head = url.dropLast(rest.count + old.count)
        return WebAddress("\(head)\(new)\(rest)")
    }
}
