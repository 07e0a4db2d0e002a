// SPDX-License-Identifier: Apache-2.0

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
        _ layout: MessageLayout,
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
                    "not a \(layout.name): field ends early at byte \(reader.offset)"
                )
            }
            guard let payload = field.payload, let number = UInt32(exactly: field.number),
                let known = layout.field(number)
            else { continue }
            if let nested = known.message {
                do throws(EngineError) {
                    try check(bytes.extracting(payload), nested, depth: depth + 1)
                } catch {
                    throw error.below(known.name)
                }
            } else if known.isText {
                try Self.checkText(bytes.extracting(payload), of: known)
            }
        }
    }

    private static func checkText(_ bytes: Span<UInt8>, of field: FieldLayout) throws(EngineError) {
        var isASCII = true
        for index in bytes.indices {
            if bytes[index] == 0 { throw .invalid(field.name, "contains a NUL") }
            if bytes[index] >= 0x80 { isASCII = false }
        }
        if isASCII { return }
        do {
            _ = try UTF8Span(validating: bytes)
        } catch {
            throw .invalid(field.name, "is not valid UTF-8")
        }
    }
}
