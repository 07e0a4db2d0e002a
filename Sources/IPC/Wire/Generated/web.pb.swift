// Generated from engine/v1/web.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct OpenWebControlRequest: Equatable, Sendable {
        var lifetimeMicroseconds: Int64 = 0
    }
}

extension Proto.OpenWebControlRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.openWebControlRequest) }

    init(reading reader: borrowing FieldReader) {
        lifetimeMicroseconds = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(lifetimeMicroseconds, at: 1)
    }
}

extension Proto {
    struct WebControl: Equatable, Sendable {
        var url: String = ""
        var apiURL: String = ""
        var token: String = ""
        var expiresUnixMicroseconds: Int64 = 0
    }
}

extension Proto.WebControl: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.webControl) }

    init(reading reader: borrowing FieldReader) {
        url = reader.text(at: 1)
        apiURL = reader.text(at: 2)
        token = reader.text(at: 3)
        expiresUnixMicroseconds = reader.number(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(url, at: 1)
        writer.text(apiURL, at: 2)
        writer.text(token, at: 3)
        writer.number(expiresUnixMicroseconds, at: 4)
    }
}

extension Proto {
    struct CloseWebControlRequest: Equatable, Sendable {
    }
}

extension Proto.CloseWebControlRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.closeWebControlRequest) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct CloseWebControlResponse: Equatable, Sendable {
        var revoked: UInt32 = 0
    }
}

extension Proto.CloseWebControlResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.closeWebControlResponse) }

    init(reading reader: borrowing FieldReader) {
        revoked = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(revoked, at: 1)
    }
}
