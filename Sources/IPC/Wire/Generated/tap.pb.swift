// Generated from engine/v1/tap.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct TapAudioRequest: Equatable, Sendable {
        var sessionID: String = ""
        var leadMicroseconds: Int64 = 0
        var unpaced: Bool = false
        var startMicroseconds: Int64 = 0
    }
}

extension Proto.TapAudioRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.tapAudioRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        leadMicroseconds = reader.number(at: 2)
        unpaced = reader.flag(at: 3)
        startMicroseconds = reader.number(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(leadMicroseconds, at: 2)
        writer.flag(unpaced, at: 3)
        writer.number(startMicroseconds, at: 4)
    }
}

extension Proto {
    struct TapAudioResponse: Equatable, Sendable {
        var timeMicroseconds: Int64 = 0
        var samples: [UInt8] = []
        var discontinuity: Bool = false
        var skippedMicroseconds: Int64 = 0
        var streamIndex: UInt32 = 0
    }
}

extension Proto.TapAudioResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.tapAudioResponse) }

    init(reading reader: borrowing FieldReader) {
        timeMicroseconds = reader.number(at: 1)
        samples = reader.data(at: 2)
        discontinuity = reader.flag(at: 3)
        skippedMicroseconds = reader.number(at: 4)
        streamIndex = reader.number(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(timeMicroseconds, at: 1)
        writer.data(samples, at: 2)
        writer.flag(discontinuity, at: 3)
        writer.number(skippedMicroseconds, at: 4)
        writer.number(streamIndex, at: 5)
    }
}
