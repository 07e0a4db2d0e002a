// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// How protobuf-c stores a message: the fields of its struct, with their types and offsets.
///
/// It refers to a descriptor that protobuf-c generated, which is a constant of the program.
@safe struct MessageLayout {
    private let descriptor: UnsafePointer<ProtobufCMessageDescriptor>

    init(_ message: ContractMessage) {
        guard let descriptor = unsafe cengineproto_descriptor(message) else {
            preconditionFailure("every message of the contract has a descriptor")
        }
        unsafe self.descriptor = descriptor
    }

    init(_ descriptor: UnsafePointer<ProtobufCMessageDescriptor>) { unsafe self.descriptor = descriptor }

    var name: String { unsafe String(cString: descriptor.pointee.name) }

    // The next two are inlined because every access to a field calls them.

    /// The field with this number in the contract; `nil` if there is none.
    @inline(__always)
    func field(_ number: UInt32) -> FieldLayout? {
        // Fields are in the order of their numbers, and most messages number them from 1 without a gap.
        let index = number &- 1
        if unsafe index < descriptor.pointee.n_fields {
            let field = unsafe FieldLayout(descriptor.pointee.fields + Int(index))
            if field.number == number { return field }
        }
        let found = unsafe protobuf_c_message_descriptor_get_field(descriptor, number)
        return unsafe found.map { unsafe FieldLayout($0) }
    }

    /// The field with this number, which must be stored as the caller assumes: otherwise the process stops.
    @inline(__always)
    func field(_ number: UInt32, _ kind: FieldKind, isRepeated: Bool = false) -> FieldLayout {
        guard let field = field(number) else { preconditionFailure("the message has no field of this number") }
        precondition(field.isStored(as: kind, isRepeated: isRepeated), "the field is of another type")
        return field
    }

    /// Allocates the struct of the message, with every field at its default.
    func allocate(in arena: inout MessageArena) -> UnsafeMutableRawPointer {
        let message = unsafe arena.allocate(byteCount: descriptor.pointee.sizeof_message)
        unsafe protobuf_c_message_init(descriptor, message)
        return unsafe message
    }

    /// Decodes a message. `nil` if the bytes are not such a message; otherwise the caller frees the struct.
    func unpack(_ bytes: [UInt8]) -> UnsafeMutablePointer<ProtobufCMessage>? {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe protobuf_c_message_unpack(descriptor, nil, buffer.count, buffer.baseAddress)
        }
    }
}
