// Generated from engine/v1/loudness.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct MeasureLoudnessRequest: Equatable, Sendable {
        enum Place: Equatable, Sendable {
            case sessionID(String)
            case source(String)
        }

        enum Choice: Equatable, Sendable {
            case streamIndex(UInt32)
        }

        var httpHeaders: [Proto.HttpHeader] = []
        var httpConnection: Proto.HttpConnectionOptions?
        var program: Proto.ProgramSelection?
        var place: Place?
        var choice: Choice?
    }
}

extension Proto.MeasureLoudnessRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.measureLoudnessRequest) }

    init(reading reader: borrowing FieldReader) {
        httpHeaders = reader.messages(at: 4)
        httpConnection = reader.message(at: 5)
        program = reader.message(at: 6)
        if reader.isSet(at: 1) {
            place = Place.sessionID(reader.text(at: 1))
        } else if reader.isSet(at: 2) {
            place = Place.source(reader.text(at: 2))
        }
        if reader.isSet(at: 3) {
            choice = Choice.streamIndex(reader.number(at: 3))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(httpHeaders, at: 4)
        writer.message(httpConnection, at: 5)
        writer.message(program, at: 6)
        switch place {
        case .sessionID(let value): writer.text(value, at: 1)
        case .source(let value): writer.text(value, at: 2)
        case nil: break
        }
        switch choice {
        case .streamIndex(let value): writer.number(value, at: 3)
        case nil: break
        }
    }
}

extension Proto {
    struct MeasureLoudnessResponse: Equatable, Sendable {
        var progress: Double = 0
        var streamIndex: UInt32 = 0
        var loudness: Proto.Loudness?
    }
}

extension Proto.MeasureLoudnessResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.measureLoudnessResponse) }

    init(reading reader: borrowing FieldReader) {
        progress = reader.number(at: 1)
        streamIndex = reader.number(at: 2)
        loudness = reader.message(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(progress, at: 1)
        writer.number(streamIndex, at: 2)
        writer.message(loudness, at: 3)
    }
}

extension Proto {
    struct Loudness: Equatable, Sendable {
        var integratedLufs: Double = 0
        var rangeLu: Double = 0
        var truePeakDbtp: Double = 0
        var durationMicroseconds: Int64 = 0
    }
}

extension Proto.Loudness: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.loudness) }

    init(reading reader: borrowing FieldReader) {
        integratedLufs = reader.number(at: 1)
        rangeLu = reader.number(at: 2)
        truePeakDbtp = reader.number(at: 3)
        durationMicroseconds = reader.number(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(integratedLufs, at: 1)
        writer.number(rangeLu, at: 2)
        writer.number(truePeakDbtp, at: 3)
        writer.number(durationMicroseconds, at: 4)
    }
}
