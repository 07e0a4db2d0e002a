// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

/// Walks the wire format of a message before protobuf-c unpacks it, and rejects what protobuf-c does not check: text
/// that is not UTF-8 or contains NUL, messages that are nested too deeply, and messages with so many tiny fields that
/// they would grow a hundredfold in memory.
///
/// It also rejects malformed fields, because it cannot skip them. `protobuf_c_message_unpack` detects all other errors.
struct MessageValidator {
    static let requestFieldLimit = 16_384
    static let deepestNesting = 16

    private var fieldsLeft: Int

    init(fieldLimit: Int) { fieldsLeft = fieldLimit }

    mutating func check(
        _ bytes: Span<UInt8>,
        _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>,
        depth: Int = 0
    ) throws(EngineError) {
        guard depth < Self.deepestNesting else {
            throw EngineError(.invalidArgument, "messages are nested deeper than \(Self.deepestNesting)")
        }
        var reader = WireReader(count: bytes.count)
        while !reader.isAtEnd {
            fieldsLeft -= 1
            guard fieldsLeft >= 0 else { throw EngineError(.invalidArgument, "the message has too many fields") }
            guard let field = reader.next(in: bytes) else {
                throw EngineError(
                    .invalidArgument,
                    "not a \(unsafe String(cString: descriptor.pointee.name)): field ends early at byte \(reader.offset)"
                )
            }
            guard let payload = field.payload, let known = unsafe Self.field(field.number, of: descriptor) else {
                continue
            }
            switch unsafe known.type {
            case PROTOBUF_C_TYPE_STRING:
                try Self.checkText(bytes.extracting(payload), unsafe String(cString: known.name))
            case PROTOBUF_C_TYPE_MESSAGE:
                guard let nested = unsafe known.descriptor?.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
                else { continue }
                do throws(EngineError) {
                    try unsafe check(bytes.extracting(payload), nested, depth: depth + 1)
                } catch {
                    throw unsafe error.below(String(cString: known.name))
                }
            default: break
            }
        }
    }

    private static func checkText(_ bytes: Span<UInt8>, _ name: String) throws(EngineError) {
        var isASCII = true
        for index in bytes.indices {
            if bytes[index] == 0 { throw .invalid(name, "contains a NUL") }
            if bytes[index] >= 0x80 { isASCII = false }
        }
        if isASCII { return }
        let isText = unsafe bytes.withUnsafeBufferPointer { unsafe String(validating: $0, as: UTF8.self) != nil }
        if !isText { throw .invalid(name, "is not valid UTF-8") }
    }

    private static func field(
        _ number: UInt64,
        of descriptor: UnsafePointer<ProtobufCMessageDescriptor>
    ) -> ProtobufCFieldDescriptor? {
        guard let fields = unsafe descriptor.pointee.fields else { return nil }
        for index in 0..<Int(unsafe descriptor.pointee.n_fields) where unsafe UInt64(fields[index].id) == number {
            return unsafe fields[index]
        }
        return nil
    }
}
