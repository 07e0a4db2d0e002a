// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

/// The messages and enums of the contract as Swift values. `scripts/generate-proto` generates them.
enum Proto {}

/// A message of the contract, mapped to a struct of protobuf-c that begins with its `ProtobufCMessage`.
protocol ProtobufMessage: Sendable {
    /// The size of the struct.
    static var size: Int { get }

    /// Every field at its default.
    init()

    /// Calls the generated `…__init`.
    static func initialize(_ pointer: UnsafeMutableRawPointer)

    init(reading pointer: UnsafeRawPointer)

    /// All memory that this allocates lives as long as the arena.
    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena)
}

/// The request of a command.
protocol CommandMessage: ProtobufMessage {
    var sessionID: String { get set }
    var ifRevision: UInt64 { get set }
    var requestID: String { get set }
}

/// An enum of the contract. It may hold a number that this build does not know.
protocol ProtobufEnum: RawRepresentable, Hashable, Sendable where RawValue == UInt32 {
    init(rawValue: UInt32)
}

/// An enum of protobuf-c.
protocol ProtobufCEnum: RawRepresentable where RawValue == UInt32 {
    init(rawValue: UInt32)
}

extension ProtobufMessage {
    /// The packed message after gRPC's five-byte prefix, ready for the body of a stream.
    func framed() -> [UInt8] {
        packed(room: MessageFraming.prefixByteCount) { MessageFraming.prefix(messageByteCount: $0) }
    }

    /// The packed message, without a prefix.
    func packed() -> [UInt8] { packed(room: 0) { _ in [] } }

    /// - Parameter prefix: returns the first `room` bytes, given the size of the message.
    private func packed(room: Int, prefix: (Int) -> [UInt8]) -> [UInt8] {
        let arena = MessageArena()
        let message = unsafe UnsafeRawPointer(arena.write(self)).assumingMemoryBound(to: ProtobufCMessage.self)
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

    /// Validates and unpacks a message.
    ///
    /// - Parameter fieldLimit: the maximum number of fields in the message, including nested ones.
    /// - Throws: `invalidArgument` for malformed bytes, and with the field's name for text that is not UTF-8 or
    ///   contains NUL.
    init(_ bytes: [UInt8], fieldLimit: Int = MessageValidator.requestFieldLimit) throws(EngineError) {
        let descriptor = unsafe Self.descriptor
        var validator = MessageValidator(fieldLimit: fieldLimit)
        try unsafe validator.check(bytes.span, descriptor)
        let unpacked = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe protobuf_c_message_unpack(descriptor, nil, buffer.count, buffer.baseAddress)
        }
        guard let unpacked = unsafe unpacked else {
            let name = unsafe String(cString: descriptor.pointee.name)
            throw EngineError(.invalidArgument, "the request is not a \(name)")
        }
        defer { unsafe protobuf_c_message_free_unpacked(unpacked, nil) }
        unsafe self.init(reading: UnsafeRawPointer(unpacked))
    }

    private static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> {
        unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
            guard let pointer = buffer.baseAddress else { preconditionFailure("a temporary has an address") }
            unsafe initialize(pointer)
            return unsafe pointer.assumingMemoryBound(to: ProtobufCMessage.self).pointee.descriptor
        }
    }
}

/// The serialised `FileDescriptorSet` of the contract, which `scripts/generate-proto` embeds in the program.
package func builtInDescriptorSet() -> [UInt8] {
    var count = 0
    let start = unsafe cengineproto_descriptor_set(&count)
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
}

// Generated code calls these functions to read a field from a struct that protobuf-c has unpacked.

/// A C string that is empty or has been validated as UTF-8 by `MessageValidator`.
func readText(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
}

func readData(_ data: ProtobufCBinaryData) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: data.data, count: data.len))
}

func readMessage<Message: ProtobufMessage>(_ pointer: UnsafeMutablePointer<some Any>?) -> Message? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Message(reading: pointer)
}

func readNumbers<Number>(_ pointer: UnsafeMutablePointer<Number>?, _ count: Int) -> [Number] {
    unsafe Array(UnsafeBufferPointer(start: pointer, count: count))
}

func readChoices<Choice: ProtobufEnum>(
    _ pointer: UnsafeMutablePointer<some ProtobufCEnum>?,
    _ count: Int
) -> [Choice] {
    unsafe UnsafeBufferPointer(start: pointer, count: count).map { Choice(rawValue: $0.rawValue) }
}

func readTexts(_ pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: Int) -> [String] {
    unsafe UnsafeBufferPointer(start: pointer, count: count).map { unsafe readText($0) }
}

func readDatas(_ pointer: UnsafeMutablePointer<ProtobufCBinaryData>?, _ count: Int) -> [[UInt8]] {
    unsafe UnsafeBufferPointer(start: pointer, count: count).map { unsafe readData($0) }
}

func readMessages<Message: ProtobufMessage>(
    _ pointer: UnsafeMutablePointer<UnsafeMutablePointer<some Any>?>?,
    _ count: Int
) -> [Message] {
    unsafe UnsafeBufferPointer(start: pointer, count: count).compactMap { unsafe readMessage($0) }
}
