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
    static var size: Int { unsafe MemoryLayout<Engine__V1__MeasureLoudnessRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__measure_loudness_request__init(pointer.assumingMemoryBound(to: Engine__V1__MeasureLoudnessRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MeasureLoudnessRequest.self)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
        program = unsafe readMessage(c.pointee.program)
        switch unsafe c.pointee.place_case {
        case ENGINE__V1__MEASURE_LOUDNESS_REQUEST__PLACE_SESSION_ID:
            place = .sessionID(unsafe readText(c.pointee.session_id))
        case ENGINE__V1__MEASURE_LOUDNESS_REQUEST__PLACE_SOURCE:
            place = .source(unsafe readText(c.pointee.source))
        default: break
        }
        switch unsafe c.pointee.choice_case {
        case ENGINE__V1__MEASURE_LOUDNESS_REQUEST__CHOICE_STREAM_INDEX:
            choice = .streamIndex(unsafe c.pointee.stream_index)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MeasureLoudnessRequest.self)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
        unsafe c.pointee.program = arena.message(program)
        switch place {
        case .sessionID(let value):
            unsafe c.pointee.place_case = ENGINE__V1__MEASURE_LOUDNESS_REQUEST__PLACE_SESSION_ID
            unsafe c.pointee.session_id = arena.text(value)
        case .source(let value):
            unsafe c.pointee.place_case = ENGINE__V1__MEASURE_LOUDNESS_REQUEST__PLACE_SOURCE
            unsafe c.pointee.source = arena.text(value)
        case nil: break
        }
        switch choice {
        case .streamIndex(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__MEASURE_LOUDNESS_REQUEST__CHOICE_STREAM_INDEX
            unsafe c.pointee.stream_index = value
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__MeasureLoudnessResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__measure_loudness_response__init(pointer.assumingMemoryBound(to: Engine__V1__MeasureLoudnessResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MeasureLoudnessResponse.self)
        progress = unsafe c.pointee.progress
        streamIndex = unsafe c.pointee.stream_index
        loudness = unsafe readMessage(c.pointee.loudness)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__MeasureLoudnessResponse.self)
        unsafe c.pointee.progress = progress
        unsafe c.pointee.stream_index = streamIndex
        unsafe c.pointee.loudness = arena.message(loudness)
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__Loudness>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__loudness__init(pointer.assumingMemoryBound(to: Engine__V1__Loudness.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Loudness.self)
        integratedLufs = unsafe c.pointee.integrated_lufs
        rangeLu = unsafe c.pointee.range_lu
        truePeakDbtp = unsafe c.pointee.true_peak_dbtp
        durationMicroseconds = unsafe c.pointee.duration_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Loudness.self)
        unsafe c.pointee.integrated_lufs = integratedLufs
        unsafe c.pointee.range_lu = rangeLu
        unsafe c.pointee.true_peak_dbtp = truePeakDbtp
        unsafe c.pointee.duration_us = durationMicroseconds
    }
}
