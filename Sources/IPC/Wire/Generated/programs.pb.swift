// Generated from engine/v1/programs.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct ProgramEventStatus: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let undefined = Self(rawValue: 1)
        static let notRunning = Self(rawValue: 2)
        static let startsSoon = Self(rawValue: 3)
        static let pausing = Self(rawValue: 4)
        static let running = Self(rawValue: 5)
        static let offAir = Self(rawValue: 6)
    }
}

extension Proto {
    struct Program: Equatable, Sendable {
        var number: UInt32 = 0
        var name: String = ""
        var provider: String = ""
        var clockPid: UInt32 = 0
        var mapPid: UInt32 = 0
        var streams: [UInt32] = []
    }
}

extension Proto.Program: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.program) }

    init(reading reader: borrowing FieldReader) {
        number = reader.number(at: 1)
        name = reader.text(at: 2)
        provider = reader.text(at: 3)
        clockPid = reader.number(at: 4)
        mapPid = reader.number(at: 5)
        streams = reader.numbers(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(number, at: 1)
        writer.text(name, at: 2)
        writer.text(provider, at: 3)
        writer.number(clockPid, at: 4)
        writer.number(mapPid, at: 5)
        writer.numbers(streams, at: 6)
    }
}

extension Proto {
    struct ProgramSelection: Equatable, Sendable {
        enum Wanted: Equatable, Sendable {
            case number(UInt32)
            case name(String)
        }

        var wanted: Wanted?
    }
}

extension Proto.ProgramSelection: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.programSelection) }

    init(reading reader: borrowing FieldReader) {
        if reader.isSet(at: 1) {
            wanted = Wanted.number(reader.number(at: 1))
        } else if reader.isSet(at: 2) {
            wanted = Wanted.name(reader.text(at: 2))
        }
    }

    func write(to writer: inout FieldWriter) {
        switch wanted {
        case .number(let value): writer.number(value, at: 1)
        case .name(let value): writer.text(value, at: 2)
        case nil: break
        }
    }
}

extension Proto {
    struct ProgramEvent: Equatable, Sendable {
        var id: UInt32 = 0
        var title: String = ""
        var text: String = ""
        var details: String = ""
        var language: String = ""
        var startUnixMicroseconds: Int64 = 0
        var durationMicroseconds: Int64 = 0
        var status: Proto.ProgramEventStatus = Proto.ProgramEventStatus(rawValue: 0)
    }
}

extension Proto.ProgramEvent: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.programEvent) }

    init(reading reader: borrowing FieldReader) {
        id = reader.number(at: 1)
        title = reader.text(at: 2)
        text = reader.text(at: 3)
        details = reader.text(at: 4)
        language = reader.text(at: 5)
        startUnixMicroseconds = reader.number(at: 6)
        durationMicroseconds = reader.number(at: 7)
        status = reader.choice(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(id, at: 1)
        writer.text(title, at: 2)
        writer.text(text, at: 3)
        writer.text(details, at: 4)
        writer.text(language, at: 5)
        writer.number(startUnixMicroseconds, at: 6)
        writer.number(durationMicroseconds, at: 7)
        writer.choice(status, at: 8)
    }
}

extension Proto {
    struct ProgramGuide: Equatable, Sendable {
        var program: UInt32 = 0
        var present: Proto.ProgramEvent?
        var following: Proto.ProgramEvent?
    }
}

extension Proto.ProgramGuide: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.programGuide) }

    init(reading reader: borrowing FieldReader) {
        program = reader.number(at: 1)
        present = reader.message(at: 2)
        following = reader.message(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(program, at: 1)
        writer.message(present, at: 2)
        writer.message(following, at: 3)
    }
}
