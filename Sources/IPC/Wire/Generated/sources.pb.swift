// Generated from engine/v1/sources.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct RegisterSourceRequest: Equatable, Sendable {
    }
}

extension Proto.RegisterSourceRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RegisterSourceRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__register_source_request__init(pointer.assumingMemoryBound(to: Engine__V1__RegisterSourceRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct RegisteredSource: Equatable, Sendable {
        var url: String = ""
        var ticket: [UInt8] = []
        var socketPath: String = ""
    }
}

extension Proto.RegisteredSource: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RegisteredSource>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__registered_source__init(pointer.assumingMemoryBound(to: Engine__V1__RegisteredSource.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RegisteredSource.self)
        url = unsafe readText(c.pointee.url)
        ticket = unsafe readData(c.pointee.ticket)
        socketPath = unsafe readText(c.pointee.socket_path)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RegisteredSource.self)
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.ticket = arena.data(ticket)
        unsafe c.pointee.socket_path = arena.text(socketPath)
    }
}
