// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

/// A generated C struct whose first member is its `ProtobufCMessage`.
protocol ProtobufMessage {
    /// The generated `…__init`.
    static func initialize(_ pointer: UnsafeMutablePointer<Self>)
}

/// Packs the message that `build` returns, after gRPC's five-byte prefix, ready for the body of a stream.
func encodeFramed<Message: ProtobufMessage>(_ build: (MessageArena) -> UnsafeMutablePointer<Message>) -> [UInt8] {
    unsafe encode(room: MessageFraming.prefixByteCount, build) { count in
        MessageFraming.prefix(messageByteCount: count)
    }
}

/// Packs the message that `build` returns, without a prefix.
func encode<Message: ProtobufMessage>(_ build: (MessageArena) -> UnsafeMutablePointer<Message>) -> [UInt8] {
    unsafe encode(room: 0, build) { _ in [] }
}

/// - Parameter prefix: returns the first `room` bytes, given the size of the message.
private func encode<Message: ProtobufMessage>(
    room: Int,
    _ build: (MessageArena) -> UnsafeMutablePointer<Message>,
    prefix: (Int) -> [UInt8]
) -> [UInt8] {
    let arena = MessageArena()
    let message = unsafe UnsafeRawPointer(build(arena)).assumingMemoryBound(to: ProtobufCMessage.self)
    let count = unsafe protobuf_c_message_get_packed_size(message)
    let prefix = prefix(count)
    return withExtendedLifetime(arena) {
        unsafe [UInt8](unsafeUninitializedCapacity: room + count) { buffer, filled in
            for index in 0..<room { unsafe buffer[index] = prefix[index] }
            if let body = unsafe buffer.baseAddress?.advanced(by: room) {
                unsafe protobuf_c_message_pack(message, body)
            }
            filled = room + count
        }
    }
}

/// Validates and unpacks a message and passes it to `body`; the message is freed when `body` returns.
///
/// - Parameter fieldLimit: the maximum number of fields in the message, including nested ones.
/// - Throws: `invalidArgument` for malformed bytes, and with the field's name for text that is not UTF-8 or contains
///   NUL; and whatever `body` throws.
func decode<Message: ProtobufMessage, Value>(
    _ bytes: [UInt8],
    as type: Message.Type,
    fieldLimit: Int = MessageValidator.requestFieldLimit,
    _ body: (Message) throws(EngineError) -> Value
) throws(EngineError) -> Value {
    let descriptor = unsafe descriptor(of: type)
    var validator = MessageValidator(fieldLimit: fieldLimit)
    try unsafe validator.check(bytes.span, descriptor)
    let unpacked = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe protobuf_c_message_unpack(descriptor, nil, buffer.count, buffer.baseAddress)
    }
    guard let unpacked = unsafe unpacked else {
        throw EngineError(.invalidArgument, "the request is not a \(unsafe String(cString: descriptor.pointee.name))")
    }
    defer { unsafe protobuf_c_message_free_unpacked(unpacked, nil) }
    let message = unsafe UnsafeRawPointer(unpacked).assumingMemoryBound(to: Message.self)
    return try unsafe body(message.pointee)
}

private func descriptor<Message: ProtobufMessage>(of type: Message.Type) -> UnsafePointer<ProtobufCMessageDescriptor> {
    unsafe withUnsafeTemporaryAllocation(of: Message.self, capacity: 1) { buffer in
        guard let pointer = buffer.baseAddress else { preconditionFailure("a temporary has an address") }
        unsafe Message.initialize(pointer)
        let base = unsafe UnsafeRawPointer(pointer).assumingMemoryBound(to: ProtobufCMessage.self)
        return unsafe base.pointee.descriptor
    }
}

/// Decodes a C string that is empty or has been validated as UTF-8 by `MessageValidator`.
func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
}

/// Converts a C array of pointers to Swift values.
func values<Wire, Value>(
    _ pointer: UnsafeMutablePointer<UnsafeMutablePointer<Wire>?>?,
    _ count: Int,
    _ convert: (Wire) throws(EngineError) -> Value
) throws(EngineError) -> [Value] {
    guard let pointer = unsafe pointer else { return [] }
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count {
        guard let element = unsafe pointer[index] else { continue }
        try unsafe values.append(convert(element.pointee))
    }
    return values
}

/// Converts a C array of C strings.
func texts(_ pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int) -> [String] {
    guard let pointer = unsafe pointer else { return [] }
    return (0..<count).map { unsafe text(pointer[$0]) }
}
