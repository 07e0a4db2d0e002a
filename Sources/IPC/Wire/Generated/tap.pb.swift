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
    static var size: Int { unsafe MemoryLayout<Engine__V1__TapAudioRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__tap_audio_request__init(pointer.assumingMemoryBound(to: Engine__V1__TapAudioRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TapAudioRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        leadMicroseconds = unsafe c.pointee.lead_us
        unpaced = unsafe c.pointee.unpaced != 0
        startMicroseconds = unsafe c.pointee.start_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TapAudioRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.lead_us = leadMicroseconds
        unsafe c.pointee.unpaced = unpaced ? 1 : 0
        unsafe c.pointee.start_us = startMicroseconds
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__TapAudioResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__tap_audio_response__init(pointer.assumingMemoryBound(to: Engine__V1__TapAudioResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TapAudioResponse.self)
        timeMicroseconds = unsafe c.pointee.time_us
        samples = unsafe readData(c.pointee.samples)
        discontinuity = unsafe c.pointee.discontinuity != 0
        skippedMicroseconds = unsafe c.pointee.skipped_us
        streamIndex = unsafe c.pointee.stream_index
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TapAudioResponse.self)
        unsafe c.pointee.time_us = timeMicroseconds
        unsafe c.pointee.samples = arena.data(samples)
        unsafe c.pointee.discontinuity = discontinuity ? 1 : 0
        unsafe c.pointee.skipped_us = skippedMicroseconds
        unsafe c.pointee.stream_index = streamIndex
    }
}
