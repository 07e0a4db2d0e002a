// Generated from engine/v1/frames.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct FrameFormat: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let source = Self(rawValue: 1)
        static let nv12 = Self(rawValue: 2)
        static let p010 = Self(rawValue: 3)
        static let i420 = Self(rawValue: 4)
        static let rgba8 = Self(rawValue: 5)
        static let rgbaHalf = Self(rawValue: 6)
    }
}

extension Proto {
    struct FramePace: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let realtime = Self(rawValue: 1)
        static let everyFrame = Self(rawValue: 2)
    }
}

extension Proto {
    struct PcmFormat: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let f32 = Self(rawValue: 1)
        static let s16 = Self(rawValue: 2)
    }
}

extension Proto {
    struct AttachFramesRequest: Equatable, Sendable {
        var sessionID: String = ""
        var format: Proto.FrameFormat = Proto.FrameFormat(rawValue: 0)
        var maxWidth: UInt32 = 0
        var maxHeight: UInt32 = 0
        var slots: UInt32 = 0
        var pace: Proto.FramePace = Proto.FramePace(rawValue: 0)
    }
}

extension Proto.AttachFramesRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.attachFramesRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        format = reader.choice(at: 2)
        maxWidth = reader.number(at: 3)
        maxHeight = reader.number(at: 4)
        slots = reader.number(at: 5)
        pace = reader.choice(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.choice(format, at: 2)
        writer.number(maxWidth, at: 3)
        writer.number(maxHeight, at: 4)
        writer.number(slots, at: 5)
        writer.choice(pace, at: 6)
    }
}

extension Proto {
    struct AttachAudioRequest: Equatable, Sendable {
        var sessionID: String = ""
        var format: Proto.PcmFormat = Proto.PcmFormat(rawValue: 0)
        var rate: UInt32 = 0
        var layout: String = ""
        var bufferMicroseconds: Int64 = 0
    }
}

extension Proto.AttachAudioRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.attachAudioRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        format = reader.choice(at: 2)
        rate = reader.number(at: 3)
        layout = reader.text(at: 4)
        bufferMicroseconds = reader.number(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.choice(format, at: 2)
        writer.number(rate, at: 3)
        writer.text(layout, at: 4)
        writer.number(bufferMicroseconds, at: 5)
    }
}

extension Proto {
    struct Attachment: Equatable, Sendable {
        var ticket: [UInt8] = []
        var socketPath: String = ""
    }
}

extension Proto.Attachment: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.attachment) }

    init(reading reader: borrowing FieldReader) {
        ticket = reader.data(at: 1)
        socketPath = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.data(ticket, at: 1)
        writer.text(socketPath, at: 2)
    }
}
