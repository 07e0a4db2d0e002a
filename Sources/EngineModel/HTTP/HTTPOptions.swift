// SPDX-License-Identifier: Apache-2.0

/// How a source on a server is requested. No effect on local files.
public struct HTTPOptions: Hashable, Sendable {
    /// Sent with every request to the origin of the source's URL, and to no other origin.
    public var headers: [HTTPHeader] = []
    public var connection = HTTPConnectionOptions()

    public init() {}
}

/// How to connect to the server of a source, and which credentials to send. Except for `cmcd`, the engine's settings
/// apply to options that are `nil`.
public struct HTTPConnectionOptions: Hashable, Sendable, Codable {
    /// User name and password (RFC 7617) or a token (RFC 6750). They override credentials in the URL, and are sent to
    /// the origin of the URL only.
    public var credentials: HTTPCredentials?
    /// The value of the `User-Agent` field.
    public var userAgent: String?
    public var proxy: HTTPProxy?
    /// The absolute path (or its `file:` URL) of a PEM file with the CA certificates to trust, instead of the system's.
    public var authorities: String?
    /// Shown to the origin of the URL only.
    public var clientCertificate: HTTPClientCertificate?
    /// The time limit for name resolution, TCP connection and TLS handshake together.
    public var connectTimeout: Duration?
    /// How long a server may send nothing before the request is given up and sent again.
    public var stallTimeout: Duration?
    /// `nil`: playback is not reported.
    public var cmcd: CMCDOptions?

    public init() {}

    /// These options, with the values of `defaults` for those that are `nil`, except `cmcd`.
    package func completed(by defaults: HTTPConnectionOptions) -> HTTPConnectionOptions {
        var options = self
        options.credentials = credentials ?? defaults.credentials
        options.userAgent = userAgent ?? defaults.userAgent
        options.proxy = proxy ?? defaults.proxy
        options.authorities = authorities ?? defaults.authorities
        options.clientCertificate = clientCertificate ?? defaults.clientCertificate
        options.connectTimeout = connectTimeout ?? defaults.connectTimeout
        options.stallTimeout = stallTimeout ?? defaults.stallTimeout
        return options
    }
}

/// The engine's settings for everything that is fetched from servers.
package struct NetworkSettings: Hashable, Sendable {
    /// The servers that may be contacted.
    package let access: NetworkAccess
    /// The defaults for options that a request does not set.
    package let connection: HTTPConnectionOptions
    package let secureShell: SecureShellSettings

    package init(
        access: NetworkAccess,
        connection: HTTPConnectionOptions = HTTPConnectionOptions(),
        secureShell: SecureShellSettings = SecureShellSettings()
    ) {
        self.access = access
        self.connection = connection
        self.secureShell = secureShell
    }
}

/// The credentials that a request carries (RFC 7617, RFC 6750).
public enum HTTPCredentials: Hashable, Sendable, Codable {
    case basic(user: String, password: String)
    case bearer(String)
}

/// The descriptions of credentials, and of values that contain credentials, reveal no secrets in messages and logs.
extension HTTPCredentials: CustomStringConvertible {
    public var description: String {
        switch self {
        case .basic: "user name and password"
        case .bearer: "bearer token"
        }
    }
}

/// How requests leave the machine.
public enum HTTPProxy: Hashable, Sendable, Codable {
    case none
    /// A URL with the scheme `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`; it may have a user name and a
    /// password.
    case url(String)
    /// The proxy of the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the engine's process.
    case environment

    /// `none`, `environment` or a URL. `nil` for anything else.
    public init?(_ text: String) {
        switch text {
        case "none": self = .none
        case "environment": self = .environment
        default:
            let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
            guard let end = text.firstRange(of: "://"), schemes.contains(text[..<end.lowerBound].lowercased()),
                end.upperBound < text.endIndex
            else { return nil }
            self = .url(text)
        }
    }

    /// The form that `init` takes.
    public var text: String {
        switch self {
        case .none: "none"
        case .url(let url): url
        case .environment: "environment"
        }
    }
}

extension HTTPProxy: CustomStringConvertible {
    /// Without the URL, which may have a password.
    public var description: String {
        switch self {
        case .none, .environment: text
        case .url: "proxy"
        }
    }
}

/// A certificate with which the engine identifies itself, in PEM files. Paths are absolute, or `file:` URLs.
public struct HTTPClientCertificate: Hashable, Sendable, Codable {
    public var certificate: String
    /// The private key. It may be in the same file as the certificate.
    public var key: String
    public var passphrase: String?

    public init(certificate: String, key: String, passphrase: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }
}

extension HTTPClientCertificate: CustomStringConvertible {
    /// Without the passphrase.
    public var description: String { certificate }
}

extension HTTPConnectionOptions {
    private static let textLimit = 8192
    package static let timeouts = Duration.milliseconds(1)...Duration.seconds(3600)

    /// - Throws: `invalidArgument`, naming the field, for a value that is out of range, cannot be sent or could inject
    ///   a header, and for a path that is not absolute.
    package func checked() throws(EngineError) -> HTTPConnectionOptions {
        switch credentials {
        case .basic(let user, let password):
            try Self.check(user, "basic.user")
            try Self.check(password, "basic.password")
            if user.contains(":") { throw .invalid("basic.user", "has a colon (RFC 7617 §2)") }
        case .bearer(let token): try Self.check(token, "bearer_token")
        case nil: break
        }
        if let userAgent { try Self.check(userAgent, "user_agent") }
        if case .url(let url) = proxy { try Self.check(url, "proxy") }
        if let authorities { try Self.check(path: authorities, "ca_file") }
        if let own = clientCertificate {
            try Self.check(path: own.certificate, "client_certificate")
            try Self.check(path: own.key, "client_key")
            if let passphrase = own.passphrase { try Self.check(passphrase, "client_key_passphrase") }
        }
        for (limit, name) in [(connectTimeout, "connect_timeout_us"), (stallTimeout, "stall_timeout_us")] {
            if let limit, !Self.timeouts.contains(limit) { throw .invalid(name, "must be from 1 ms to one hour") }
        }
        do throws(EngineError) { _ = try cmcd?.checked() } catch { throw error.below("cmcd") }
        return self
    }

    private static func check(_ text: String, _ name: String) throws(EngineError) {
        guard text.utf8.count <= textLimit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid(name, "has control characters or more than \(textLimit) bytes")
        }
    }

    private static func check(path: String, _ name: String) throws(EngineError) {
        try check(path, name)
        guard let file = FilePath(text: path), file.isAbsolute, !file.bytes.contains(0) else {
            throw .invalid(name, "is not an absolute path")
        }
    }
}
