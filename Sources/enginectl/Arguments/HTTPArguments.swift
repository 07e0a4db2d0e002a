// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// How a source on a server is requested.
struct HTTPArguments: ParsableArguments {
    @Option(help: ArgumentHelp("A request header for a source fetched over HTTP.", valueName: "name: value"))
    var header: [String] = []

    @OptionGroup var connection: HTTPConnectionArguments

    func validate() throws { try HeaderText.validate(header) }

    func options() throws -> HTTPOptions {
        var options = HTTPOptions()
        options.headers = try header.map(HeaderText.header)
        options.connection = try connection.options()
        return options
    }
}

/// How to connect to the server of a source, and which credentials to send.
struct HTTPConnectionArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "User name and password for the server; @FILE reads them from the first line of a file.",
            valueName: "name:password"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("A bearer token for the server; @FILE reads it from a file.", valueName: "token"))
    var bearerToken: String?

    @Option(help: ArgumentHelp("The User-Agent header. Default: the engine's.", valueName: "text"))
    var userAgent: String?

    @Option(
        help: ArgumentHelp(
            "none, environment, or the URL of a proxy: http, https, socks4, socks4a, socks5 or socks5h.",
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        help: ArgumentHelp("PEM file with the CA certificates to trust, instead of the system's.", valueName: "file"),
        completion: .file()
    )
    var caFile: String?

    @Option(
        help: ArgumentHelp("PEM file with a certificate to show to the server.", valueName: "file"),
        completion: .file()
    )
    var clientCertificate: String?

    @Option(
        help: ArgumentHelp("PEM file with its key. Default: the same file.", valueName: "file"),
        completion: .file()
    )
    var clientKey: String?

    @Option(help: ArgumentHelp("The key's passphrase; @FILE reads it from a file.", valueName: "text"))
    var clientKeyPassphrase: String?

    @Option(
        help: ArgumentHelp("How long connecting may take. Default: the engine's setting, 10.", valueName: "seconds")
    )
    var connectTimeout: Double?

    @Option(
        help: ArgumentHelp(
            "How long the server may send nothing before a request is repeated. Default: the engine's setting, 20.",
            valueName: "seconds"
        )
    )
    var stallTimeout: Double?

    @Option(
        help: ArgumentHelp(
            "Report the playback state to the server (CMCD), in header fields or in the query of the URL.",
            valueName: "header|query"
        )
    )
    var cmcd: CMCDArgument?

    @Option(help: ArgumentHelp("The version of CMCD: 1 or 2. Default: 1.", valueName: "number"))
    var cmcdVersion: Int?

    @Option(help: ArgumentHelp("The session id of CMCD. Default: a random one.", valueName: "id"))
    var cmcdSession: String?

    @Option(help: ArgumentHelp("The content id of CMCD.", valueName: "id"))
    var cmcdContent: String?

    func validate() throws {
        if cmcd == nil, cmcdVersion != nil || cmcdSession != nil || cmcdContent != nil {
            throw ValidationError("--cmcd-version, --cmcd-session and --cmcd-content require --cmcd.")
        }
        if let cmcdVersion, CMCDOptions.Version(rawValue: cmcdVersion) == nil {
            throw ValidationError("--cmcd-version must be 1 or 2.")
        }
        if user != nil, bearerToken != nil {
            throw ValidationError("--user and --bearer-token cannot be used together.")
        }
        if let user, !user.hasPrefix("@"), !user.contains(":") {
            throw ValidationError("--user must be of the form name:password, or @ and the name of a file.")
        }
        if let proxy, HTTPProxy(proxy) == nil {
            throw ValidationError("--proxy must be none, environment or the URL of a proxy.")
        }
        if clientCertificate == nil, clientKey != nil || clientKeyPassphrase != nil {
            throw ValidationError("--client-key requires --client-certificate.")
        }
        for (option, limit) in [("--connect-timeout", connectTimeout), ("--stall-timeout", stallTimeout)] {
            if let limit, !(0.001...3600).contains(limit) {
                throw ValidationError("\(option) must be from 0.001 to 3600 seconds.")
            }
        }
    }

    /// - Throws: `Failure` if a file named after an `@` cannot be read or is not of the required form, `EngineError` if
    ///   a value cannot be sent.
    func options() throws -> HTTPConnectionOptions {
        var options = HTTPConnectionOptions()
        if let user = try user.map(Self.secret) {
            guard let colon = user.firstIndex(of: ":") else {
                throw Failure(.failed, "the file of --user has no line of the form name:password")
            }
            let password = String(user[user.index(after: colon)...])
            options.credentials = .basic(user: String(user[..<colon]), password: password)
        }
        if let token = try bearerToken.map(Self.secret) { options.credentials = .bearer(token) }
        options.userAgent = userAgent
        options.proxy = proxy.flatMap { HTTPProxy($0) }
        options.authorities = caFile.map { FileArgument($0).path.text }
        if let clientCertificate {
            options.clientCertificate = HTTPClientCertificate(
                certificate: FileArgument(clientCertificate).path.text,
                key: FileArgument(clientKey ?? clientCertificate).path.text,
                passphrase: try clientKeyPassphrase.map(Self.secret)
            )
        }
        options.connectTimeout = connectTimeout.map { .seconds($0) }
        options.stallTimeout = stallTimeout.map { .seconds($0) }
        if let cmcd {
            var data = CMCDOptions()
            data.transport = cmcd == .query ? .query : .header
            data.version = cmcdVersion.flatMap { CMCDOptions.Version(rawValue: $0) } ?? .one
            (data.sessionID, data.contentID) = (cmcdSession, cmcdContent)
            options.cmcd = data
        }
        return try options.checked()
    }

    /// The maximum length of a file with a secret, in bytes.
    private static let secretByteLimit = 64 << 10

    /// The first non-empty line of the file named after an `@`, or the text itself if it does not begin with `@`.
    private static func secret(_ text: String) throws(Failure) -> String {
        guard text.hasPrefix("@") else { return text }
        let lines = try FileArgument(String(text.dropFirst())).text(byteLimit: secretByteLimit)
            .split(whereSeparator: \.isNewline)
        return lines.first.map(String.init) ?? ""
    }
}

/// How CMCD data is sent.
enum CMCDArgument: String, CaseIterable, ExpressibleByArgument {
    case header, query
}
