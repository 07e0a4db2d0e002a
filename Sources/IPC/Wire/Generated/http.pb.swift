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

extension Proto {
    struct HttpHeader: Equatable, Sendable {
        var name: String = ""
        var value: String = ""
    }
}

extension Proto.HttpHeader: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.httpHeader) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
        value = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
        writer.text(value, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.httpConnectionOptions) }

    init(reading reader: borrowing FieldReader) {
        userAgent = reader.text(at: 3)
        proxy = reader.text(at: 4)
        caFile = reader.text(at: 5)
        clientCertificate = reader.text(at: 6)
        clientKey = reader.text(at: 7)
        clientKeyPassphrase = reader.text(at: 8)
        connectTimeoutMicroseconds = reader.number(at: 9)
        stallTimeoutMicroseconds = reader.number(at: 10)
        cmcd = reader.message(at: 11)
        if reader.isSet(at: 1) {
            credentials = reader.message(at: 1).map(Credentials.basic)
        } else if reader.isSet(at: 2) {
            credentials = Credentials.bearerToken(reader.text(at: 2))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.text(userAgent, at: 3)
        writer.text(proxy, at: 4)
        writer.text(caFile, at: 5)
        writer.text(clientCertificate, at: 6)
        writer.text(clientKey, at: 7)
        writer.text(clientKeyPassphrase, at: 8)
        writer.number(connectTimeoutMicroseconds, at: 9)
        writer.number(stallTimeoutMicroseconds, at: 10)
        writer.message(cmcd, at: 11)
        switch credentials {
        case .basic(let value): writer.message(value, at: 1)
        case .bearerToken(let value): writer.text(value, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.cmcdOptions) }

    init(reading reader: borrowing FieldReader) {
        transport = reader.choice(at: 1)
        version = reader.number(at: 2)
        sessionID = reader.text(at: 3)
        contentID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(transport, at: 1)
        writer.number(version, at: 2)
        writer.text(sessionID, at: 3)
        writer.text(contentID, at: 4)
    }
}

extension Proto {
    struct HttpBasicCredentials: Equatable, Sendable {
        var user: String = ""
        var password: String = ""
    }
}

extension Proto.HttpBasicCredentials: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.httpBasicCredentials) }

    init(reading reader: borrowing FieldReader) {
        user = reader.text(at: 1)
        password = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(user, at: 1)
        writer.text(password, at: 2)
    }
}
