// Generated from engine/v1/http.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct CmcdTransport: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let header = Self(rawValue: 1)
        static let query = Self(rawValue: 2)
    }
}

extension Engine__V1__CmcdTransport: ProtobufCEnum {}

extension Proto {
    struct HttpHeader: Equatable, Sendable {
        var name: String = ""
        var value: String = ""
    }
}

extension Proto.HttpHeader: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__HttpHeader>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__http_header__init(pointer.assumingMemoryBound(to: Engine__V1__HttpHeader.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpHeader.self)
        name = unsafe readText(c.pointee.name)
        value = unsafe readText(c.pointee.value)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpHeader.self)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.value = arena.text(value)
    }
}

extension Proto {
    struct HttpConnectionOptions: Equatable, Sendable {
        indirect enum Credentials: Equatable, Sendable {
            case basic(Proto.HttpBasicCredentials)
            case bearerToken(String)
        }

        var userAgent: String = ""
        var proxy: String = ""
        var caFile: String = ""
        var clientCertificate: String = ""
        var clientKey: String = ""
        var clientKeyPassphrase: String = ""
        var connectTimeoutMicroseconds: Int64 = 0
        var stallTimeoutMicroseconds: Int64 = 0
        var cmcd: Proto.CmcdOptions?
        var credentials: Credentials?
    }
}

extension Proto.HttpConnectionOptions: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__HttpConnectionOptions>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__http_connection_options__init(pointer.assumingMemoryBound(to: Engine__V1__HttpConnectionOptions.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpConnectionOptions.self)
        userAgent = unsafe readText(c.pointee.user_agent)
        proxy = unsafe readText(c.pointee.proxy)
        caFile = unsafe readText(c.pointee.ca_file)
        clientCertificate = unsafe readText(c.pointee.client_certificate)
        clientKey = unsafe readText(c.pointee.client_key)
        clientKeyPassphrase = unsafe readText(c.pointee.client_key_passphrase)
        connectTimeoutMicroseconds = unsafe c.pointee.connect_timeout_us
        stallTimeoutMicroseconds = unsafe c.pointee.stall_timeout_us
        cmcd = unsafe readMessage(c.pointee.cmcd)
        switch unsafe c.pointee.credentials_case {
        case ENGINE__V1__HTTP_CONNECTION_OPTIONS__CREDENTIALS_BASIC:
            credentials = unsafe readMessage(c.pointee.basic).map(Credentials.basic)
        case ENGINE__V1__HTTP_CONNECTION_OPTIONS__CREDENTIALS_BEARER_TOKEN:
            credentials = .bearerToken(unsafe readText(c.pointee.bearer_token))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpConnectionOptions.self)
        unsafe c.pointee.user_agent = arena.text(userAgent)
        unsafe c.pointee.proxy = arena.text(proxy)
        unsafe c.pointee.ca_file = arena.text(caFile)
        unsafe c.pointee.client_certificate = arena.text(clientCertificate)
        unsafe c.pointee.client_key = arena.text(clientKey)
        unsafe c.pointee.client_key_passphrase = arena.text(clientKeyPassphrase)
        unsafe c.pointee.connect_timeout_us = connectTimeoutMicroseconds
        unsafe c.pointee.stall_timeout_us = stallTimeoutMicroseconds
        unsafe c.pointee.cmcd = arena.message(cmcd)
        switch credentials {
        case .basic(let value):
            unsafe c.pointee.credentials_case = ENGINE__V1__HTTP_CONNECTION_OPTIONS__CREDENTIALS_BASIC
            unsafe c.pointee.basic = arena.message(value)
        case .bearerToken(let value):
            unsafe c.pointee.credentials_case = ENGINE__V1__HTTP_CONNECTION_OPTIONS__CREDENTIALS_BEARER_TOKEN
            unsafe c.pointee.bearer_token = arena.text(value)
        case nil: break
        }
    }
}

extension Proto {
    struct CmcdOptions: Equatable, Sendable {
        var transport: Proto.CmcdTransport = Proto.CmcdTransport(rawValue: 0)
        var version: UInt32 = 0
        var sessionID: String = ""
        var contentID: String = ""
    }
}

extension Proto.CmcdOptions: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CmcdOptions>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cmcd_options__init(pointer.assumingMemoryBound(to: Engine__V1__CmcdOptions.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CmcdOptions.self)
        transport = unsafe Proto.CmcdTransport(rawValue: c.pointee.transport.rawValue)
        version = unsafe c.pointee.version
        sessionID = unsafe readText(c.pointee.session_id)
        contentID = unsafe readText(c.pointee.content_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CmcdOptions.self)
        unsafe c.pointee.transport.rawValue = transport.rawValue
        unsafe c.pointee.version = version
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.content_id = arena.text(contentID)
    }
}

extension Proto {
    struct HttpBasicCredentials: Equatable, Sendable {
        var user: String = ""
        var password: String = ""
    }
}

extension Proto.HttpBasicCredentials: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__HttpBasicCredentials>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__http_basic_credentials__init(pointer.assumingMemoryBound(to: Engine__V1__HttpBasicCredentials.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpBasicCredentials.self)
        user = unsafe readText(c.pointee.user)
        password = unsafe readText(c.pointee.password)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpBasicCredentials.self)
        unsafe c.pointee.user = arena.text(user)
        unsafe c.pointee.password = arena.text(password)
    }
}
