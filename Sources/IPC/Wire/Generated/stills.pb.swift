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

extension Engine__V1__StillFormat: ProtobufCEnum {}

extension Proto {
    struct StillRange: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let standard = Self(rawValue: 1)
        static let keep = Self(rawValue: 2)
    }
}

extension Engine__V1__StillRange: ProtobufCEnum {}

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
    static var size: Int { unsafe MemoryLayout<Engine__V1__StillSource>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__still_source__init(pointer.assumingMemoryBound(to: Engine__V1__StillSource.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StillSource.self)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
        program = unsafe readMessage(c.pointee.program)
        switch unsafe c.pointee.kind_case {
        case ENGINE__V1__STILL_SOURCE__KIND_SESSION_ID:
            kind = .sessionID(unsafe readText(c.pointee.session_id))
        case ENGINE__V1__STILL_SOURCE__KIND_SOURCE:
            kind = .source(unsafe readText(c.pointee.source))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StillSource.self)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
        unsafe c.pointee.program = arena.message(program)
        switch kind {
        case .sessionID(let value):
            unsafe c.pointee.kind_case = ENGINE__V1__STILL_SOURCE__KIND_SESSION_ID
            unsafe c.pointee.session_id = arena.text(value)
        case .source(let value):
            unsafe c.pointee.kind_case = ENGINE__V1__STILL_SOURCE__KIND_SOURCE
            unsafe c.pointee.source = arena.text(value)
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__StillStyle>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__still_style__init(pointer.assumingMemoryBound(to: Engine__V1__StillStyle.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StillStyle.self)
        format = unsafe Proto.StillFormat(rawValue: c.pointee.format.rawValue)
        maxWidth = unsafe c.pointee.max_width
        maxHeight = unsafe c.pointee.max_height
        quality = unsafe c.pointee.quality
        range = unsafe Proto.StillRange(rawValue: c.pointee.range.rawValue)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StillStyle.self)
        unsafe c.pointee.format.rawValue = format.rawValue
        unsafe c.pointee.max_width = maxWidth
        unsafe c.pointee.max_height = maxHeight
        unsafe c.pointee.quality = quality
        unsafe c.pointee.range.rawValue = range.rawValue
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__ThumbnailRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__thumbnail_request__init(pointer.assumingMemoryBound(to: Engine__V1__ThumbnailRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ThumbnailRequest.self)
        of = unsafe readMessage(c.pointee.of)
        timeMicroseconds = unsafe c.pointee.time_us
        style = unsafe readMessage(c.pointee.style)
        waitsItsTurn = unsafe c.pointee.waits_its_turn != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ThumbnailRequest.self)
        unsafe c.pointee.of = arena.message(of)
        unsafe c.pointee.time_us = timeMicroseconds
        unsafe c.pointee.style = arena.message(style)
        unsafe c.pointee.waits_its_turn = waitsItsTurn ? 1 : 0
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__SnapshotRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__snapshot_request__init(pointer.assumingMemoryBound(to: Engine__V1__SnapshotRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SnapshotRequest.self)
        of = unsafe readMessage(c.pointee.of)
        timeMicroseconds = unsafe c.pointee.time_us
        style = unsafe readMessage(c.pointee.style)
        waitsItsTurn = unsafe c.pointee.waits_its_turn != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SnapshotRequest.self)
        unsafe c.pointee.of = arena.message(of)
        unsafe c.pointee.time_us = timeMicroseconds
        unsafe c.pointee.style = arena.message(style)
        unsafe c.pointee.waits_its_turn = waitsItsTurn ? 1 : 0
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__Still>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__still__init(pointer.assumingMemoryBound(to: Engine__V1__Still.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Still.self)
        data = unsafe readData(c.pointee.data)
        format = unsafe Proto.StillFormat(rawValue: c.pointee.format.rawValue)
        width = unsafe c.pointee.width
        height = unsafe c.pointee.height
        timeMicroseconds = unsafe c.pointee.time_us
        durationMicroseconds = unsafe c.pointee.duration_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Still.self)
        unsafe c.pointee.data = arena.data(data)
        unsafe c.pointee.format.rawValue = format.rawValue
        unsafe c.pointee.width = width
        unsafe c.pointee.height = height
        unsafe c.pointee.time_us = timeMicroseconds
        unsafe c.pointee.duration_us = durationMicroseconds
    }
}

extension Proto {
    struct PrewarmRequest: Equatable, Sendable {
        var of: Proto.StillSource?
    }
}

extension Proto.PrewarmRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PrewarmRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__prewarm_request__init(pointer.assumingMemoryBound(to: Engine__V1__PrewarmRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PrewarmRequest.self)
        of = unsafe readMessage(c.pointee.of)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PrewarmRequest.self)
        unsafe c.pointee.of = arena.message(of)
    }
}

extension Proto {
    struct PrewarmResponse: Equatable, Sendable {
    }
}

extension Proto.PrewarmResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PrewarmResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__prewarm_response__init(pointer.assumingMemoryBound(to: Engine__V1__PrewarmResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__ContactSheetRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__contact_sheet_request__init(pointer.assumingMemoryBound(to: Engine__V1__ContactSheetRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContactSheetRequest.self)
        of = unsafe readMessage(c.pointee.of)
        style = unsafe readMessage(c.pointee.style)
        columns = unsafe c.pointee.columns
        rows = unsafe c.pointee.rows
        cellWidth = unsafe c.pointee.cell_width
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContactSheetRequest.self)
        unsafe c.pointee.of = arena.message(of)
        unsafe c.pointee.style = arena.message(style)
        unsafe c.pointee.columns = columns
        unsafe c.pointee.rows = rows
        unsafe c.pointee.cell_width = cellWidth
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__ContactSheetProgress>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__contact_sheet_progress__init(pointer.assumingMemoryBound(to: Engine__V1__ContactSheetProgress.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContactSheetProgress.self)
        done = unsafe c.pointee.done
        total = unsafe c.pointee.total
        sheet = unsafe readMessage(c.pointee.sheet)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ContactSheetProgress.self)
        unsafe c.pointee.done = done
        unsafe c.pointee.total = total
        unsafe c.pointee.sheet = arena.message(sheet)
    }
}
