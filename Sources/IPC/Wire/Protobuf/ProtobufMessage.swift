// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

/// The messages and enums of the contract as Swift values. `scripts/generate-proto` generates them.
enum Proto {}

/// A message of the contract. protobuf-c packs and unpacks it by way of a struct.
protocol ProtobufMessage: Sendable {
    /// How protobuf-c stores the message when it is not a field of another one.
    static var layout: MessageLayout { get }

    /// Every field at its default.
    init()

    init(reading reader: borrowing FieldReader)

    func write(to writer: inout FieldWriter)
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

extension ProtobufMessage {
    /// The packed message after gRPC's five-byte prefix, ready for the body of a stream.
    func framed() -> [UInt8] {
        FieldWriter.pack(self, room: MessageFraming.prefixByteCount) { MessageFraming.prefix(messageByteCount: $0) }
    }

    /// The packed message, without a prefix.
    func packed() -> [UInt8] { FieldWriter.pack(self, room: 0) { _ in [] } }

    /// Validates and unpacks a message.
    ///
    /// - Parameter fieldLimit: the maximum number of fields in the message, including nested ones.
    /// - Throws: `invalidArgument` for malformed bytes, too many fields or too deep nesting, and with the field's name
    ///   for text that is not UTF-8 or contains NUL.
    init(_ bytes: [UInt8], fieldLimit: Int = MessageValidator.requestFieldLimit) throws(EngineError) {
        let layout = Self.layout
        var validator = MessageValidator(fieldLimit: fieldLimit)
        try validator.check(bytes.span, layout)
        guard let message = unsafe layout.unpack(bytes) else {
            throw EngineError(.invalidArgument, "the request is not a \(layout.name)")
        }
        defer { unsafe protobuf_c_message_free_unpacked(message, nil) }
        unsafe self.init(reading: FieldReader(message))
    }
}

/// The serialised `FileDescriptorSet` of the contract, which `scripts/generate-proto` embeds in the program.
package func builtInDescriptorSet() -> [UInt8] {
    var count = 0
    let start = unsafe cengineproto_descriptor_set(&count)
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
}
