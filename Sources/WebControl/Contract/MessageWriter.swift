// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import EngineModel
internal import Wire

/// Serialises JSON objects as messages of the contract.
///
/// Members have the names of fields; the suffix `_id` may be omitted, so that `session` means `session_id`, as in
/// answers. Enums are words without their prefix, or the contract's names; bytes are base64; integers may be strings.
/// `null` leaves a field at its default. The engine checks the ranges of values.
struct MessageWriter {
    let contract: Contract

    /// - Throws: `invalidArgument` with the path of the invalid member.
    func bytes(of value: JSON, as type: String) throws(EngineError) -> [UInt8] {
        guard case .object(let members) = value else { throw EngineError(.invalidArgument, "must be an object") }
        let fields = contract.messages[type] ?? []
        var bytes: [UInt8] = []
        var groups: Set<String> = []
        for member in members where member.value != .null {
            let field = fields.first { $0.name == member.name } ?? fields.first { $0.name == "\(member.name)_id" }
            guard let field else { throw .invalid(member.name, "is not a member of \(type)") }
            if let group = field.group, !groups.insert(group).inserted {
                throw .invalid(member.name, "cannot be set together with another member of \(group)")
            }
            do throws(EngineError) {
                bytes += try self.bytes(of: member.value, in: field)
            } catch {
                throw error.field.isEmpty ? .invalid(member.name, error.message) : error.below(member.name)
            }
        }
        return bytes
    }

    private func bytes(of value: JSON, in field: Contract.Field) throws(EngineError) -> [UInt8] {
        guard field.isRepeated else { return try element(value, field) }
        guard case .array(let values) = value else { throw EngineError(.invalidArgument, "must be an array") }
        var bytes: [UInt8] = []
        // Written unpacked, a form that every parser accepts (protobuf.dev, "Packed Repeated Fields").
        for value in values { bytes += try element(value, field) }
        return bytes
    }

    private func element(_ value: JSON, _ field: Contract.Field) throws(EngineError) -> [UInt8] {
        switch field.kind {
        case .double: tag(field, 1) + fixed(try number(value).bitPattern)
        case .float: tag(field, 5) + Array(fixed(UInt64(Float(try number(value)).bitPattern)).prefix(4))
        case .int32, .int64: tag(field, 0) + varint(UInt64(bitPattern: try signed(value, field.kind == .int32)))
        case .sint32: tag(field, 0) + varint(Self.zigzag(try signed(value, true)))
        case .uint32, .uint64: tag(field, 0) + varint(try unsigned(value, field.kind == .uint32))
        case .bool: tag(field, 0) + varint(try bool(value) ? 1 : 0)
        case .string: delimited(field, Array(try text(value).utf8))
        case .bytes: delimited(field, try Base64.decode(try text(value)))
        case .message(let type): delimited(field, try bytes(of: value, as: type))
        case .choice(let type): tag(field, 0) + varint(try choice(value, type))
        }
    }

    private func tag(_ field: Contract.Field, _ wireType: UInt64) -> [UInt8] { varint(field.number << 3 | wireType) }

    /// Numbers close to zero become small, whatever their sign (protobuf.dev, "Signed Integers").
    private static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

    private func delimited(_ field: Contract.Field, _ bytes: [UInt8]) -> [UInt8] {
        tag(field, 2) + varint(UInt64(bytes.count)) + bytes
    }

    private func fixed(_ bits: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    }

    private func number(_ value: JSON) throws(EngineError) -> Double {
        switch value {
        case .whole(let value): Double(value)
        case .number(let value): value
        default: throw EngineError(.invalidArgument, "must be a number")
        }
    }

    private func signed(_ value: JSON, _ isShort: Bool) throws(EngineError) -> Int64 {
        let number: Int64? =
            switch value {
            case .whole(let value): value
            case .number(let value): Int64(exactly: value)
            case .string(let text): Int64(text)
            default: nil
            }
        guard let number, !isShort || Int32(exactly: number) != nil else {
            throw EngineError(.invalidArgument, "must be a whole number of \(isShort ? 32 : 64) bits")
        }
        return number
    }

    private func unsigned(_ value: JSON, _ isShort: Bool) throws(EngineError) -> UInt64 {
        let number: UInt64? =
            switch value {
            case .whole(let value): UInt64(exactly: value)
            case .number(let value): UInt64(exactly: value)
            case .string(let text): UInt64(text)
            default: nil
            }
        guard let number, !isShort || UInt32(exactly: number) != nil else {
            throw EngineError(.invalidArgument, "must be a whole number of \(isShort ? 32 : 64) bits, not negative")
        }
        return number
    }

    private func bool(_ value: JSON) throws(EngineError) -> Bool {
        guard case .bool(let value) = value else { throw EngineError(.invalidArgument, "must be true or false") }
        return value
    }

    private func text(_ value: JSON) throws(EngineError) -> String {
        guard case .string(let text) = value else { throw EngineError(.invalidArgument, "must be a string") }
        return text
    }

    private func choice(_ value: JSON, _ type: String) throws(EngineError) -> UInt64 {
        let word = try text(value)
        let choices = contract.choices[type] ?? []
        guard let choice = choices.first(where: { $0.word == word || $0.name == word }) else {
            let words = choices.dropFirst().map(\.word).joined(separator: ", ")
            throw EngineError(.invalidArgument, "must be one of \(words)")
        }
        return choice.number
    }
}
