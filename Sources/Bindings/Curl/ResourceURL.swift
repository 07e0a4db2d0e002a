// SPDX-License-Identifier: Apache-2.0

internal import CCurl
package import EngineModel

/// The URL of a resource on a server as libcurl parses it (`curl_url_get`), so that the engine checks exactly the host
/// that libcurl connects to.
package struct ResourceURL: Hashable, Sendable {
    /// Two URLs with the same origin address the same server (RFC 6454 §4).
    package struct Origin: Hashable, Sendable {
        package let isSecure: Bool
        /// In lower case; an IPv6 address without brackets.
        package let host: String
        package let port: Int

        package init(isSecure: Bool, host: String, port: Int) {
            self.isSecure = isSecure
            self.host = host
            self.port = port
        }
    }

    package enum Failure: Error, Hashable, Sendable {
        case malformed
        /// A scheme other than those of `ServerScheme`, or one that a reference must not lead to.
        case scheme(String)
    }

    /// The whole URL, without user name, password and fragment.
    package let text: String
    package let scheme: ServerScheme
    /// In lower case.
    package var schemeName: String { text.prefix { $0 != ":" }.lowercased() }
    package let origin: Origin
    /// User name and password of the URL. `nil` if it has none, and for a URL from `resolving` or `helperURL`.
    package private(set) var credentials: HTTPCredentials?
    /// The URL for display: without user name, password and fragment, and without the query of an HTTP or helper URL.
    package let shown: String

    package init(_ text: String) throws(Failure) { try self.init(text, below: nil) }

    /// A URL whose scheme is not one of `ServerScheme`, for a source that a helper reads.
    package init(forHelper text: String) throws(Failure) { try self.init(text, below: nil, isForHelper: true) }

    /// Resolves a reference against this URL, e.g. from a `Location` field (RFC 3986 §5). A reference never leads to
    /// another protocol.
    package func resolving(_ reference: String) throws(Failure) -> ResourceURL {
        try ResourceURL(reference, below: self)
    }

    /// The URL of another file on the same server, for a helper to read, with the arguments of this URL. The arguments
    /// in `text` are ignored: the server chose them, and arguments may select a user or a version of the protocol.
    ///
    /// - Parameter text: an absolute URL, from a resource that the helper has read.
    /// - Throws: also for a URL with another scheme.
    package func helperURL(named text: String) throws(Failure) -> ResourceURL {
        let named = try ResourceURL(forHelper: text)
        guard named.schemeName == schemeName else { throw .scheme(named.schemeName) }
        return try ResourceURL(forHelper: String(named.text.prefix { $0 != "?" } + self.text[path.endIndex...]))
    }

    /// This URL with an argument appended to its query. Arguments of the same name are removed. Returns this URL
    /// unchanged if the result would be longer than libcurl accepts.
    ///
    /// - Parameter value: percent-encoded.
    package func adding(argument name: String, _ value: String) -> ResourceURL {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? parts[1].split(separator: "&", omittingEmptySubsequences: false) : []
        let others = query.filter { !$0.hasPrefix(name + "=") }
        do throws(Failure) {
            return try resolving(parts[0] + "?" + (others + ["\(name)=\(value)"]).joined(separator: "&"))
        } catch {
            return self
        }
    }

    private init(_ reference: String, below base: ResourceURL?, isForHelper: Bool = false) throws(Failure) {
        var parser = try Parser(base?.text)
        try parser.set(reference)
        let name = parser.part(CURLUPART_SCHEME)?.lowercased() ?? ""
        guard let scheme = isForHelper ? ServerScheme(helper: name) : ServerScheme(name) else { throw .scheme(name) }
        // libcurl skips a third slash, and then treats the first folder of the path as the host.
        if base == nil, Self.lacksHost(reference) { throw .malformed }
        // Aliases of schemes, such as `dav`, are accepted only from users.
        if let base, name != scheme.rawValue || scheme != base.scheme && !(scheme.isHTTP && base.scheme.isHTTP) {
            throw .scheme(name)
        }
        if !isForHelper { parser.set(scheme: scheme) }
        let port = parser.part(CURLUPART_PORT).map { Int($0) ?? 0 } ?? scheme.defaultPort
        guard let host = parser.part(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
            (isForHelper ? 0...65535 : 1...65535).contains(port)
        else { throw .malformed }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.scheme = scheme
        origin = Origin(isSecure: scheme.isSecure, host: bare, port: port)
        // The credentials in a reference come from a server, not from the user.
        credentials = base == nil ? try parser.credentials() : nil
        parser.drop([CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT])
        guard let text = parser.part(CURLUPART_URL, CURLU_NO_DEFAULT_PORT) else { throw .malformed }
        self.text = text
        // SFTP and FTP have no queries: a question mark is part of the file's name.
        shown = scheme.isHTTP || isForHelper ? String(text.prefix { $0 != "?" }) : text
    }

    private static func lacksHost(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return text.utf8[colon...].starts(with: ":///".utf8)
    }

    /// The name of the file that the URL names, without percent escapes. `nil` if the URL names a folder, or has an
    /// invalid escape.
    package var fileName: [UInt8]? {
        guard let name = path.lastIndex(of: "/").map({ path[path.index(after: $0)...] }), !name.isEmpty else {
            return nil
        }
        return PercentEscapes.decoded(name.utf8)
    }

    /// The path of the folder in which the file is, or of the folder that the URL names: without percent escapes, and
    /// with a slash at its end. `nil` if it has an invalid escape.
    package var folderPath: [UInt8]? {
        let path = path
        return path.lastIndex(of: "/").flatMap { PercentEscapes.decoded(path[...$0].utf8) }
    }

    /// The URL of another file in the folder of this one, or of the folder itself, on the same server, with the same
    /// credentials and arguments.
    ///
    /// - Parameter name: the name of the file, without percent escapes and slashes. Empty: the folder, whose URL ends
    ///   in a slash.
    /// - Returns: `nil` if this URL has no path, or if the result would be longer than libcurl accepts.
    package func beside(_ name: [UInt8]) -> ResourceURL? {
        let path = path
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let start = text[...slash]
        let reference =
            start + PercentEscapes.text(of: name, keeping: PercentEscapes.isUnreserved) + text[path.endIndex...]
        var other: ResourceURL
        do throws(Failure) {
            other = try ResourceURL(String(reference), below: nil, isForHelper: scheme == .helper)
        } catch {
            // It is longer than libcurl accepts.
            return nil
        }
        guard other.origin == origin else { return nil }
        other.credentials = credentials
        return other
    }

    /// The URL against which relative references in the resource are resolved (RFC 3986 §5.1): unlike in `text`, a
    /// question mark always begins a query.
    package var base: String {
        scheme.isHTTP || scheme == .helper ? text : text.replacing("?", with: "%3F")
    }

    /// The path as spelled. SFTP and FTP have no queries: a question mark is part of the file's name.
    package var path: Substring {
        guard let authority = text.firstRange(of: "://")?.upperBound else { return "" }
        let rest = text[authority...]
        let end = scheme.isHTTP || scheme == .helper ? rest.firstIndex(of: "?") ?? rest.endIndex : rest.endIndex
        return rest[..<end].drop { $0 != "/" }
    }

    /// The URL as libcurl expects it. libcurl does not know the scheme `ftpes`.
    var transferText: String { scheme == .ftpes ? "ftp" + text.dropFirst("ftpes".count) : text }
}

/// libcurl's URL parser (`CURLU`).
@safe private struct Parser: ~Copyable {
    private let handle: OpaquePointer

    init(_ base: String?) throws(ResourceURL.Failure) {
        guard let handle = unsafe curl_url() else { fatalError("curl_url: out of memory") }
        unsafe self.handle = handle
        if let base { try set(base) }
    }

    deinit { unsafe curl_url_cleanup(handle) }

    func set(_ reference: String) throws(ResourceURL.Failure) {
        guard !reference.isEmpty, reference.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .malformed }
        let flags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE
        let status = unsafe curl_url_set(handle, CURLUPART_URL, reference, CUnsignedInt(flags))
        guard status == CURLUE_OK else { throw .malformed }
    }

    /// Replaces the scheme, which must be in the URL.
    mutating func set(scheme: ServerScheme) {
        unsafe curl_url_set(handle, CURLUPART_SCHEME, scheme.rawValue, CUnsignedInt(CURLU_NON_SUPPORT_SCHEME))
    }

    func part(_ part: CURLUPart, _ flags: CInt = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &text, CUnsignedInt(flags)) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(validatingCString: text)
    }

    /// The user name and the password.
    ///
    /// - Throws: `malformed` if one of them contains a control character, which libcurl does not decode, or is not
    ///   UTF-8. If the name were left out instead, the engine would log in as another user.
    func credentials() throws(ResourceURL.Failure) -> HTTPCredentials? {
        let (user, password) = (part(CURLUPART_USER, CURLU_URLDECODE), part(CURLUPART_PASSWORD, CURLU_URLDECODE))
        let (hasUser, hasPassword) = (part(CURLUPART_USER) != nil, part(CURLUPART_PASSWORD) != nil)
        guard hasUser == (user != nil), hasPassword == (password != nil) else { throw .malformed }
        return hasUser || hasPassword ? .basic(user: user ?? "", password: password ?? "") : nil
    }

    mutating func drop(_ parts: [CURLUPart]) {
        for part in parts { unsafe curl_url_set(handle, part, nil, 0) }
    }
}

extension ResourceURL: CustomStringConvertible {
    /// `shown`, so that no message contains a secret by mistake.
    package var description: String { shown }
}
