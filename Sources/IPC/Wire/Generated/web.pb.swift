// Generated from engine/v1/web.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct OpenWebControlRequest: Equatable, Sendable {
        var lifetimeMicroseconds: Int64 = 0
    }
}

extension Proto.OpenWebControlRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__OpenWebControlRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__open_web_control_request__init(pointer.assumingMemoryBound(to: Engine__V1__OpenWebControlRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__OpenWebControlRequest.self)
        lifetimeMicroseconds = unsafe c.pointee.lifetime_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__OpenWebControlRequest.self)
        unsafe c.pointee.lifetime_us = lifetimeMicroseconds
    }
}

extension Proto {
    struct WebControl: Equatable, Sendable {
        var url: String = ""
        var apiURL: String = ""
        var token: String = ""
        var expiresUnixMicroseconds: Int64 = 0
    }
}

extension Proto.WebControl: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__WebControl>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__web_control__init(pointer.assumingMemoryBound(to: Engine__V1__WebControl.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__WebControl.self)
        url = unsafe readText(c.pointee.url)
        apiURL = unsafe readText(c.pointee.api_url)
        token = unsafe readText(c.pointee.token)
        expiresUnixMicroseconds = unsafe c.pointee.expires_unix_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__WebControl.self)
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.api_url = arena.text(apiURL)
        unsafe c.pointee.token = arena.text(token)
        unsafe c.pointee.expires_unix_us = expiresUnixMicroseconds
    }
}

extension Proto {
    struct CloseWebControlRequest: Equatable, Sendable {
    }
}

extension Proto.CloseWebControlRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CloseWebControlRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__close_web_control_request__init(pointer.assumingMemoryBound(to: Engine__V1__CloseWebControlRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct CloseWebControlResponse: Equatable, Sendable {
        var revoked: UInt32 = 0
    }
}

extension Proto.CloseWebControlResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CloseWebControlResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__close_web_control_response__init(pointer.assumingMemoryBound(to: Engine__V1__CloseWebControlResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CloseWebControlResponse.self)
        revoked = unsafe c.pointee.revoked
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CloseWebControlResponse.self)
        unsafe c.pointee.revoked = revoked
    }
}
