// Generated from engine/v1/software.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct PlaybackPath: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let remux = Self(rawValue: 1)
        static let software = Self(rawValue: 2)
    }
}

extension Engine__V1__PlaybackPath: ProtobufCEnum {}

extension Proto {
    struct SoundOutputKind: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let device = Self(rawValue: 1)
        static let null = Self(rawValue: 2)
        static let file = Self(rawValue: 3)
    }
}

extension Engine__V1__SoundOutputKind: ProtobufCEnum {}

extension Proto {
    struct Deinterlacing: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let frame = Self(rawValue: 1)
        static let field = Self(rawValue: 2)
        static let off = Self(rawValue: 3)
    }
}

extension Engine__V1__Deinterlacing: ProtobufCEnum {}

extension Proto {
    struct SelectPathRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var path: Proto.PlaybackPath = Proto.PlaybackPath(rawValue: 0)
        var requestID: String = ""
    }
}

extension Proto.SelectPathRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SelectPathRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__select_path_request__init(pointer.assumingMemoryBound(to: Engine__V1__SelectPathRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectPathRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        path = unsafe Proto.PlaybackPath(rawValue: c.pointee.path.rawValue)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectPathRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.path.rawValue = path.rawValue
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SelectPathRequest: CommandMessage {}

extension Proto {
    struct SetSoundOutputRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var kind: Proto.SoundOutputKind = Proto.SoundOutputKind(rawValue: 0)
        var name: String = ""
        var requestID: String = ""
    }
}

extension Proto.SetSoundOutputRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetSoundOutputRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_sound_output_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetSoundOutputRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetSoundOutputRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        kind = unsafe Proto.SoundOutputKind(rawValue: c.pointee.kind.rawValue)
        name = unsafe readText(c.pointee.name)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetSoundOutputRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.kind.rawValue = kind.rawValue
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetSoundOutputRequest: CommandMessage {}
