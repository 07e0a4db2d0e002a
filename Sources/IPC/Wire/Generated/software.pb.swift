// Generated from engine/v1/software.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct PlaybackPath: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let remux = Self(rawValue: 1)
        static let software = Self(rawValue: 2)
    }
}

extension Proto {
    struct SoundOutputKind: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let device = Self(rawValue: 1)
        static let null = Self(rawValue: 2)
        static let file = Self(rawValue: 3)
    }
}

extension Proto {
    struct Deinterlacing: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let frame = Self(rawValue: 1)
        static let field = Self(rawValue: 2)
        static let off = Self(rawValue: 3)
    }
}

extension Proto {
    struct SelectPathRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var path: Proto.PlaybackPath = Proto.PlaybackPath(rawValue: 0)
        var requestID: String = ""
    }
}

extension Proto.SelectPathRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.selectPathRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        path = reader.choice(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.choice(path, at: 3)
        writer.text(requestID, at: 4)
    }
}

extension Proto.SelectPathRequest: CommandMessage {}

extension Proto {
    struct SetSoundOutputRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var kind: Proto.SoundOutputKind = Proto.SoundOutputKind(rawValue: 0)
        var name: String = ""
        var requestID: String = ""
    }
}

extension Proto.SetSoundOutputRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.setSoundOutputRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        kind = reader.choice(at: 3)
        name = reader.text(at: 4)
        requestID = reader.text(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.choice(kind, at: 3)
        writer.text(name, at: 4)
        writer.text(requestID, at: 5)
    }
}

extension Proto.SetSoundOutputRequest: CommandMessage {}
