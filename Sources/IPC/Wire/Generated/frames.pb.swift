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

extension Engine__V1__FrameFormat: ProtobufCEnum {}

extension Proto {
    struct FramePace: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let realtime = Self(rawValue: 1)
        static let everyFrame = Self(rawValue: 2)
    }
}

extension Engine__V1__FramePace: ProtobufCEnum {}

extension Proto {
    struct PcmFormat: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let f32 = Self(rawValue: 1)
        static let s16 = Self(rawValue: 2)
    }
}

extension Engine__V1__PcmFormat: ProtobufCEnum {}

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
    static var size: Int { unsafe MemoryLayout<Engine__V1__AttachFramesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__attach_frames_request__init(pointer.assumingMemoryBound(to: Engine__V1__AttachFramesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AttachFramesRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        format = unsafe Proto.FrameFormat(rawValue: c.pointee.format.rawValue)
        maxWidth = unsafe c.pointee.max_width
        maxHeight = unsafe c.pointee.max_height
        slots = unsafe c.pointee.slots
        pace = unsafe Proto.FramePace(rawValue: c.pointee.pace.rawValue)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AttachFramesRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.format.rawValue = format.rawValue
        unsafe c.pointee.max_width = maxWidth
        unsafe c.pointee.max_height = maxHeight
        unsafe c.pointee.slots = slots
        unsafe c.pointee.pace.rawValue = pace.rawValue
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
    static var size: Int { unsafe MemoryLayout<Engine__V1__AttachAudioRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__attach_audio_request__init(pointer.assumingMemoryBound(to: Engine__V1__AttachAudioRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AttachAudioRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        format = unsafe Proto.PcmFormat(rawValue: c.pointee.format.rawValue)
        rate = unsafe c.pointee.rate
        layout = unsafe readText(c.pointee.layout)
        bufferMicroseconds = unsafe c.pointee.buffer_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AttachAudioRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.format.rawValue = format.rawValue
        unsafe c.pointee.rate = rate
        unsafe c.pointee.layout = arena.text(layout)
        unsafe c.pointee.buffer_us = bufferMicroseconds
    }
}

extension Proto {
    struct Attachment: Equatable, Sendable {
        var ticket: [UInt8] = []
        var socketPath: String = ""
    }
}

extension Proto.Attachment: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Attachment>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__attachment__init(pointer.assumingMemoryBound(to: Engine__V1__Attachment.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Attachment.self)
        ticket = unsafe readData(c.pointee.ticket)
        socketPath = unsafe readText(c.pointee.socket_path)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Attachment.self)
        unsafe c.pointee.ticket = arena.data(ticket)
        unsafe c.pointee.socket_path = arena.text(socketPath)
    }
}
