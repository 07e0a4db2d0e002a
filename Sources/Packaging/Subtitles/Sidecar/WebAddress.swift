// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// An HTTP URL, split only as far as needed to show it and to edit its path (RFC 3986 §3). Pure.
package struct WebAddress: Hashable, Sendable {
    /// The whole URL, with `http` or `https` in place of an alias.
    package let url: String
    /// `http` or `https`.
    private let scheme: String
    /// Host and port, in lower case.
    private let authority: String
    private let hasUser: Bool
    /// The path, from its first slash up to the query. May be empty.
    private let path: String
    /// The query and the fragment.
    private let rest: String

    /// `nil` unless the text is an HTTP URL without forbidden bytes.
    package init?(_ url: String) {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        guard let known = ServerScheme(ofURL: url), known.isHTTP else { return nil }
        scheme = known.rawValue
        let spelled = url.prefix { $0 != ":" }
        let isAlias = spelled.lowercased() != scheme
        let url = isAlias ? scheme + url.dropFirst(spelled.count) : url
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

    /// The URL for display: without user name, password, query and fragment.
    package var shown: String { hasUser || !rest.isEmpty ? "\(scheme)://\(authority)\(path)" : url }

    /// The last component of the path, as spelled.
    package var name: String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// The same URL with a different path suffix. `nil` if the path does not end in `old`.
    package func replacingExtension(_ old: String, by new: String) -> WebAddress? {
        guard path.hasSuffix(old) else { return nil }
        let head = url.dropLast(rest.count + old.count)
        return WebAddress("\(head)\(new)\(rest)")
    }
}
