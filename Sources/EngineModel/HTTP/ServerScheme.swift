// SPDX-License-Identifier: Apache-2.0

/// The scheme of a URL that names a resource on a server, and with it the protocol by which the resource is read.
package enum ServerScheme: String, Hashable, Sendable, CaseIterable {
    case http
    case https
    /// Files over SSH.
    case sftp
    case ftp
    /// FTP over TLS from the first byte (port 990).
    case ftps
    /// FTP that changes to TLS before the login (RFC 4217), on the port of FTP.
    case ftpes
    /// Any other name: a helper reads it (docs/sources.md).
    case helper

    /// Other schemes for HTTP, which say that the server speaks WebDAV.
    private static let aliases: [String: Self] = ["dav": .http, "webdav": .http, "davs": .https, "webdavs": .https]

    /// - Parameter name: in upper or lower case; may be an alias, such as `davs` for `https`.
    package init?(_ name: String) {
        let name = name.lowercased()
        guard let scheme = Self(rawValue: name) ?? Self.aliases[name], scheme != .helper else { return nil }
        self = scheme
    }

    /// Whether the scheme of a URL says that its server speaks WebDAV. `http` and `https` say nothing about that.
    package static func isWebDAV(_ url: String) -> Bool {
        let name = url.prefix { $0 != ":" && $0 != "/" }
        return aliases[name.lowercased()] != nil && url.dropFirst(name.count).hasPrefix("://")
    }

    /// `.helper`, or `nil` if the engine reads URLs with this scheme itself.
    package init?(helper name: String) {
        guard Self(name) == nil, name != "file" else { return nil }
        self = .helper
    }

    /// The scheme of a text that begins with a known scheme and `://`. `nil` for anything else.
    package init?(ofURL text: String) {
        let name = text.prefix { $0 != ":" && $0 != "/" }
        guard text.dropFirst(name.count).hasPrefix("://") else { return nil }
        self.init(String(name))
    }

    /// The scheme of a text that begins with a known scheme and a colon, but not with `://`: a mistyped URL, which may
    /// hold a password.
    package init?(ofBrokenURL text: String) {
        let name = text.prefix { $0 != ":" && $0 != "/" }
        let rest = text.dropFirst(name.count)
        guard rest.hasPrefix(":"), !rest.hasPrefix("://") else { return nil }
        self.init(String(name))
    }

    /// Whether the rules of HTTP apply: status codes, header fields, redirects.
    package var isHTTP: Bool { self == .http || self == .https }

    /// Whether libcurl reads the resource as a file, after a login.
    package var isFile: Bool {
        switch self {
        case .sftp, .ftp, .ftps, .ftpes: true
        case .http, .https, .helper: false
        }
    }

    /// Whether nobody between this machine and the server can read or change what is transferred.
    package var isSecure: Bool {
        switch self {
        case .https, .sftp, .ftps, .ftpes: true
        case .http, .ftp, .helper: false
        }
    }

    package var defaultPort: Int {
        switch self {
        case .http: 80
        case .https: 443
        case .sftp: 22
        case .ftp, .ftpes: 21
        case .ftps: 990
        // Only helpers know it.
        case .helper: 0
        }
    }
}
