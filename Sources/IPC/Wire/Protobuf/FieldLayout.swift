// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

/// How protobuf-c stores a field. Like `MessageLayout`, it refers to a constant of the program.
@safe struct FieldLayout {
    private let descriptor: UnsafePointer<ProtobufCFieldDescriptor>

    init(_ descriptor: UnsafePointer<ProtobufCFieldDescriptor>) { unsafe self.descriptor = descriptor }

    var name: String { unsafe String(cString: descriptor.pointee.name) }
    var number: UInt32 { unsafe descriptor.pointee.id }

    /// Whether the struct has one such value, or a pointer to any number of them.
    func isStored(as kind: FieldKind, isRepeated: Bool) -> Bool {
        let label = isRepeated ? PROTOBUF_C_LABEL_REPEATED : PROTOBUF_C_LABEL_NONE
        return unsafe descriptor.pointee.label == label && kind.includes(descriptor.pointee.type)
    }

    /// Whether the field shares its place in the struct with others, of which at most one is set.
    var isInOneof: Bool { unsafe descriptor.pointee.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0 }

    /// The offset of the value in the struct or, for a repeated field, of the pointer to the values.
    var offset: Int { Int(unsafe descriptor.pointee.offset) }

    /// The offset of the count of a repeated field, or of the number of the field that is set in a oneof.
    var quantifierOffset: Int { Int(unsafe descriptor.pointee.quantifier_offset) }

    var isText: Bool { unsafe FieldKind.text.includes(descriptor.pointee.type) }

    /// The layout of the messages in the field; `nil` if its type is not a message.
    var message: MessageLayout? {
        guard unsafe FieldKind.message.includes(descriptor.pointee.type) else { return nil }
        return unsafe descriptor.pointee.descriptor.map { nested in
            unsafe MessageLayout(nested.assumingMemoryBound(to: ProtobufCMessageDescriptor.self))
        }
    }
}

/// The forms in which protobuf-c stores values. Types of the contract that differ only on the wire have the same form.
enum FieldKind {
    case int32, int64, uint32, uint64, double, flag, choice, text, data, message

    func includes(_ type: ProtobufCType) -> Bool {
        switch self {
        case .int32: type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_SINT32
        case .int64: type == PROTOBUF_C_TYPE_INT64 || type == PROTOBUF_C_TYPE_SINT64
        case .uint32: type == PROTOBUF_C_TYPE_UINT32
        case .uint64: type == PROTOBUF_C_TYPE_UINT64
        case .double: type == PROTOBUF_C_TYPE_DOUBLE
        case .flag: type == PROTOBUF_C_TYPE_BOOL
        case .choice: type == PROTOBUF_C_TYPE_ENUM
        case .text: type == PROTOBUF_C_TYPE_STRING
        case .data: type == PROTOBUF_C_TYPE_BYTES
        case .message: type == PROTOBUF_C_TYPE_MESSAGE
        }
    }
}

/// A number that a field can hold.
protocol FieldNumber: BitwiseCopyable {
    static var kind: FieldKind { get }
}

extension Int32: FieldNumber { static var kind: FieldKind { .int32 } }
extension Int64: FieldNumber { static var kind: FieldKind { .int64 } }
extension UInt32: FieldNumber { static var kind: FieldKind { .uint32 } }
extension UInt64: FieldNumber { static var kind: FieldKind { .uint64 } }
extension Double: FieldNumber { static var kind: FieldKind { .double } }
