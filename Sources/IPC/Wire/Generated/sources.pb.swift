// Generated from engine/v1/sources.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct RegisterSourceRequest: Equatable, Sendable {
    }
}

extension Proto.RegisterSourceRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.registerSourceRequest) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct RegisteredSource: Equatable, Sendable {
        var url: String = ""
        var ticket: [UInt8] = []
        var socketPath: String = ""
    }
}

extension Proto.RegisteredSource: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.registeredSource) }

    init(reading reader: borrowing FieldReader) {
        url = reader.text(at: 1)
        ticket = reader.data(at: 2)
        socketPath = reader.text(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(url, at: 1)
        writer.data(ticket, at: 2)
        writer.text(socketPath, at: 3)
    }
}
