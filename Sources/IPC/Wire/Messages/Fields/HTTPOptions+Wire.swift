// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension HTTPOptions {
    init(wire headers: [Proto.HttpHeader], _ connection: Proto.HttpConnectionOptions?) throws(EngineError) {
        self.init()
        self.headers = try [HTTPHeader](wire: headers)
        if let connection { self.connection = try HTTPConnectionOptions(wire: connection) }
    }
}

extension [HTTPHeader] {
    /// Decodes the HTTP header fields of a request.
    init(wire: [Proto.HttpHeader]) throws(EngineError) {
        guard wire.count <= HTTPHeader.countLimit else {
            throw .invalid("http_headers", "has more than \(HTTPHeader.countLimit) entries")
        }
        self = try wire.map { header throws(EngineError) in try HTTPHeader(name: header.name, value: header.value) }
    }
}

extension HTTPHeader {
    var wire: Proto.HttpHeader { Proto.HttpHeader(name: name, value: value) }
}

extension HTTPConnectionOptions {
    init(wire: Proto.HttpConnectionOptions) throws(EngineError) {
        self.init()
        switch wire.credentials {
        case .basic(let basic): credentials = .basic(user: basic.user, password: basic.password)
        case .bearerToken(let token): credentials = .bearer(token)
        case nil: break
        }
        if !wire.userAgent.isEmpty { userAgent = wire.userAgent }
        if !wire.proxy.isEmpty {
            guard let found = HTTPProxy(wire.proxy) else {
                throw .invalid("http_connection.proxy", "is neither none, environment nor the URL of a proxy")
            }
            proxy = found
        }
        if !wire.caFile.isEmpty { authorities = wire.caFile }
        if !wire.clientCertificate.isEmpty {
            clientCertificate = HTTPClientCertificate(
                certificate: wire.clientCertificate,
                key: wire.clientKey.isEmpty ? wire.clientCertificate : wire.clientKey,
                passphrase: wire.clientKeyPassphrase.isEmpty ? nil : wire.clientKeyPassphrase
            )
        } else if !wire.clientKey.isEmpty || !wire.clientKeyPassphrase.isEmpty {
            throw .invalid("http_connection.client_certificate", "is missing, although client_key is set")
        }
        connectTimeout = Self.duration(wire.connectTimeoutMicroseconds)
        stallTimeout = Self.duration(wire.stallTimeoutMicroseconds)
        cmcd = try wire.cmcd.map { wire throws(EngineError) in try CMCDOptions(wire: wire) }
        do throws(EngineError) { self = try checked() } catch { throw error.below("http_connection") }
    }

    private static func duration(_ wire: Int64) -> Duration? { wire == 0 ? nil : .microseconds(wire) }

    /// `nil` if nothing is set.
    var wire: Proto.HttpConnectionOptions? {
        guard self != HTTPConnectionOptions() else { return nil }
        var wire = Proto.HttpConnectionOptions()
        switch credentials {
        case .basic(let user, let password):
            wire.credentials = .basic(Proto.HttpBasicCredentials(user: user, password: password))
        case .bearer(let token): wire.credentials = .bearerToken(token)
        case nil: break
        }
        wire.userAgent = userAgent ?? ""
        wire.proxy = proxy?.text ?? ""
        wire.caFile = authorities ?? ""
        if let own = clientCertificate {
            wire.clientCertificate = own.certificate
            wire.clientKey = own.key == own.certificate ? "" : own.key
            wire.clientKeyPassphrase = own.passphrase ?? ""
        }
        wire.connectTimeoutMicroseconds = connectTimeout.map { Int64($0 / .microseconds(1)) } ?? 0
        wire.stallTimeoutMicroseconds = stallTimeout.map { Int64($0 / .microseconds(1)) } ?? 0
        wire.cmcd = cmcd?.wire
        return wire
    }
}

extension CMCDOptions {
    fileprivate init(wire: Proto.CmcdOptions) throws(EngineError) {
        self.init()
        switch wire.transport {
        case .unspecified, .header: transport = .header
        case .query: transport = .query
        default: throw .invalid("http_connection.cmcd.transport", "has no value \(wire.transport.rawValue)")
        }
        guard let version = wire.version == 0 ? .one : Version(rawValue: Int(wire.version)) else {
            throw .invalid("http_connection.cmcd.version", "is not 1 or 2")
        }
        self.version = version
        if !wire.sessionID.isEmpty { sessionID = wire.sessionID }
        if !wire.contentID.isEmpty { contentID = wire.contentID }
    }

    fileprivate var wire: Proto.CmcdOptions {
        var wire = Proto.CmcdOptions()
        wire.transport = transport == .query ? .query : .header
        wire.version = UInt32(version.rawValue)
        wire.sessionID = sessionID ?? ""
        wire.contentID = contentID ?? ""
        return wire
    }
}
