// Generated from engine/v1/http.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct HttpHeader: Equatable, Sendable {
        var name: String = ""
        var value: String = ""
    }
}

extension Proto.HttpHeader: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__HttpHeader>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__http_header__init(pointer.assumingMemoryBound(to: Engine__V1__HttpHeader.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpHeader.self)
        name = unsafe readText(c.pointee.name)
        value = unsafe readText(c.pointee.value)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HttpHeader.self)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.value = arena.text(value)
    }
}
