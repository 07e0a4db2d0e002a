// Generated from engine/v1/programs.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

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
