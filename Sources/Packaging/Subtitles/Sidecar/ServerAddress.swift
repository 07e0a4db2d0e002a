// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A URL of a file on a server, or of one that a helper reads, split only as far as needed to show it and to edit its
/// path (RFC 3986 §3). Pure.
package struct ServerAddress: Hashable, Sendable {
    /// The whole URL, with `http` or `https` in place of an alias.
    package let url: String
    /// In lower case; `http` or `https` in place of an alias.
    private let scheme: String
    /// Host and port, in lower case, without the scheme's default port.
    private let authority: String
    private let hasUser: Bool
    /// The path, from its first slash up to the query. May be empty.
    private let path: String
    /// The query and the fragment. SFTP and FTP have no queries: a question mark is part of the file's name.
    private let rest: String

    /// `nil` for a text that is not a URL of a known scheme or of a helper, or has forbidden bytes.
    package init?(_ url: String) {
        let spelled = url.prefix { $0 != ":" && $0 != "/" }
        let name = spelled.lowercased()
        guard url.dropFirst(spelled.count).hasPrefix("://"),
            let known = ServerScheme(name) ?? ServerScheme(helper: name),
            !name.isEmpty
        else { return nil }
        // Names of files on shares may have spaces that nobody has escaped.
        let least: UInt8 = known.isHTTP ? 0x21 : 0x20
        guard url.utf8.allSatisfy({ $0 >= least && $0 != 0x7F }) else { return nil }
        scheme = known == .helper ? name : known.rawValue
        let isAlias = name != scheme
        let url = isAlias ? scheme + url.dropFirst(spelled.count) : url
        let behind = url.utf8.dropFirst(scheme.utf8.count + 3)
        let authority = behind.prefix { ![0x2F, 0x3F, 0x23].contains($0) }
        let host = authority.lastIndex(of: 0x40).map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.isEmpty, let server = String(host)?.lowercased() else { return nil }
        let usual = ":\(known.defaultPort)"
        let isUsual = known != .helper && server.hasSuffix(usual)
        self.authority = isUsual ? String(server.dropLast(usual.count)) : server
        hasUser = host.count != authority.count
        let place = behind[authority.endIndex...]
        let hasQuery = known.isHTTP || known == .helper
        let path = place.prefix { $0 != 0x23 && ($0 != 0x3F || !hasQuery) }
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
    package func replacingExtension(_ old: String, by new: String) -> ServerAddress? {
        guard path.hasSuffix(old) else { return nil }
        let head = url.dropLast(rest.count + old.count)
        return ServerAddress("\(head)\(new)\(rest)")
    }
}
