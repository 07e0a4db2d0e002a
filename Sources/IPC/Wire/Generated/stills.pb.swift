// Generated from engine/v1/stills.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct StillFormat: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let jpeg = Self(rawValue: 1)
        static let png = Self(rawValue: 2)
        static let webp = Self(rawValue: 3)
    }
}

extension Proto {
    struct StillRange: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let standard = Self(rawValue: 1)
        static let keep = Self(rawValue: 2)
    }
}

extension Proto {
    struct StillSource: Equatable, Sendable {
        enum Kind: Equatable, Sendable {
            case sessionID(String)
            case source(String)
        }

        var httpHeaders: [Proto.HttpHeader] = []
        var httpConnection: Proto.HttpConnectionOptions?
        var program: Proto.ProgramSelection?
        var kind: Kind?
    }
}

extension Proto.StillSource: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.stillSource) }

    init(reading reader: borrowing FieldReader) {
        httpHeaders = reader.messages(at: 3)
        httpConnection = reader.message(at: 4)
        program = reader.message(at: 5)
        if reader.isSet(at: 1) {
            kind = Kind.sessionID(reader.text(at: 1))
        } else if reader.isSet(at: 2) {
            kind = Kind.source(reader.text(at: 2))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(httpHeaders, at: 3)
        writer.message(httpConnection, at: 4)
        writer.message(program, at: 5)
        switch kind {
        case .sessionID(let value): writer.text(value, at: 1)
        case .source(let value): writer.text(value, at: 2)
        case nil: break
        }
    }
}

extension Proto {
    struct StillStyle: Equatable, Sendable {
        var format: Proto.StillFormat = Proto.StillFormat(rawValue: 0)
        var maxWidth: UInt32 = 0
        var maxHeight: UInt32 = 0
        var quality: UInt32 = 0
        var range: Proto.StillRange = Proto.StillRange(rawValue: 0)
    }
}

extension Proto.StillStyle: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.stillStyle) }

    init(reading reader: borrowing FieldReader) {
        format = reader.choice(at: 1)
        maxWidth = reader.number(at: 2)
        maxHeight = reader.number(at: 3)
        quality = reader.number(at: 4)
        range = reader.choice(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(format, at: 1)
        writer.number(maxWidth, at: 2)
        writer.number(maxHeight, at: 3)
        writer.number(quality, at: 4)
        writer.choice(range, at: 5)
    }
}

extension Proto {
    struct ThumbnailRequest: Equatable, Sendable {
        var of: Proto.StillSource?
        var timeMicroseconds: Int64 = 0
        var style: Proto.StillStyle?
        var waitsItsTurn: Bool = false
    }
}

extension Proto.ThumbnailRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.thumbnailRequest) }

    init(reading reader: borrowing FieldReader) {
        of = reader.message(at: 1)
        timeMicroseconds = reader.number(at: 2)
        style = reader.message(at: 3)
        waitsItsTurn = reader.flag(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(of, at: 1)
        writer.number(timeMicroseconds, at: 2)
        writer.message(style, at: 3)
        writer.flag(waitsItsTurn, at: 4)
    }
}

extension Proto {
    struct SnapshotRequest: Equatable, Sendable {
        var of: Proto.StillSource?
        var timeMicroseconds: Int64 = 0
        var style: Proto.StillStyle?
        var waitsItsTurn: Bool = false
    }
}

extension Proto.SnapshotRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.snapshotRequest) }

    init(reading reader: borrowing FieldReader) {
        of = reader.message(at: 1)
        timeMicroseconds = reader.number(at: 2)
        style = reader.message(at: 3)
        waitsItsTurn = reader.flag(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(of, at: 1)
        writer.number(timeMicroseconds, at: 2)
        writer.message(style, at: 3)
        writer.flag(waitsItsTurn, at: 4)
    }
}

extension Proto {
    struct Still: Equatable, Sendable {
        var data: [UInt8] = []
        var format: Proto.StillFormat = Proto.StillFormat(rawValue: 0)
        var width: UInt32 = 0
        var height: UInt32 = 0
        var timeMicroseconds: Int64 = 0
        var durationMicroseconds: Int64 = 0
    }
}

extension Proto.Still: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.still) }

    init(reading reader: borrowing FieldReader) {
        data = reader.data(at: 1)
        format = reader.choice(at: 2)
        width = reader.number(at: 3)
        height = reader.number(at: 4)
        timeMicroseconds = reader.number(at: 5)
        durationMicroseconds = reader.number(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.data(data, at: 1)
        writer.choice(format, at: 2)
        writer.number(width, at: 3)
        writer.number(height, at: 4)
        writer.number(timeMicroseconds, at: 5)
        writer.number(durationMicroseconds, at: 6)
    }
}

extension Proto {
    struct PrewarmRequest: Equatable, Sendable {
        var of: Proto.StillSource?
    }
}

extension Proto.PrewarmRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.prewarmRequest) }

    init(reading reader: borrowing FieldReader) {
        of = reader.message(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(of, at: 1)
    }
}

extension Proto {
    struct PrewarmResponse: Equatable, Sendable {
    }
}

extension Proto.PrewarmResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.prewarmResponse) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct ContactSheetRequest: Equatable, Sendable {
        var of: Proto.StillSource?
        var style: Proto.StillStyle?
        var columns: UInt32 = 0
        var rows: UInt32 = 0
        var cellWidth: UInt32 = 0
    }
}

extension Proto.ContactSheetRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.contactSheetRequest) }

    init(reading reader: borrowing FieldReader) {
        of = reader.message(at: 1)
        style = reader.message(at: 2)
        columns = reader.number(at: 3)
        rows = reader.number(at: 4)
        cellWidth = reader.number(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(of, at: 1)
        writer.message(style, at: 2)
        writer.number(columns, at: 3)
        writer.number(rows, at: 4)
        writer.number(cellWidth, at: 5)
    }
}

extension Proto {
    struct ContactSheetProgress: Equatable, Sendable {
        var done: UInt32 = 0
        var total: UInt32 = 0
        var sheet: Proto.Still?
    }
}

extension Proto.ContactSheetProgress: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.contactSheetProgress) }

    init(reading reader: borrowing FieldReader) {
        done = reader.number(at: 1)
        total = reader.number(at: 2)
        sheet = reader.message(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(done, at: 1)
        writer.number(total, at: 2)
        writer.message(sheet, at: 3)
    }
}
