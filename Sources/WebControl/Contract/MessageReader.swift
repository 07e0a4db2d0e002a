// SPDX-License-Identifier: Apache-2.0

internal import EngineJSON
internal import Wire

/// Converts messages of the contract to JSON: the answers that no command of `enginectl` prints.
///
/// The result contains all fields, even those at their defaults, except members of a oneof and messages that are not
/// set. Names and forms are those of `MessageWriter`.
struct MessageReader {
    let contract: Contract

    func json(_ bytes: [UInt8], as type: String) -> JSON {
        let node = Node(bytes)
        let members: [JSON.Member] = (contract.messages[type] ?? []).compactMap { field in
            value(of: field, in: node).map { JSON.Member(name: field.name, value: $0) }
        }
        return .object(members)
    }

    private func value(of field: Contract.Field, in node: Node) -> JSON? {
        let found = node.all.filter { $0.number == field.number }
        if field.isRepeated { return .array(found.flatMap { elements($0, field, node) }) }
        if let last = found.last { return elements(last, field, node).last }
        if field.group != nil { return nil }
        if case .message = field.kind { return nil }
        return scalar(0, field.kind) ?? .string("")
    }

    /// The values of one encoded field: one value, or several if the field is packed.
    private func elements(_ found: WireReader.Field, _ field: Contract.Field, _ node: Node) -> [JSON] {
        if let value = found.value { return scalar(value, field.kind).map { [$0] } ?? [] }
        let bytes = node.bytes(of: found)
        return switch field.kind {
        case .string: [.string(String(decoding: bytes, as: UTF8.self))]
        case .bytes: [.string(Base64.encode(bytes))]
        case .message(let type): [json(bytes, as: type)]
        case .double, .float: unpackFixed(bytes, field.kind)
        default: unpackVarints(bytes, field.kind)
        }
    }

    private func unpackFixed(_ bytes: [UInt8], _ kind: Contract.Kind) -> [JSON] {
        let size = kind == .double ? 8 : 4
        return stride(from: 0, to: bytes.count - size + 1, by: size).compactMap { start in
            let bits = bytes[start..<start + size].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return scalar(bits, kind)
        }
    }

    private func unpackVarints(_ bytes: [UInt8], _ kind: Contract.Kind) -> [JSON] {
        var values: [JSON] = []
        var (number, shift): (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            if shift < 64 { number |= UInt64(byte & 0x7F) << shift }
            shift += 7
            guard byte < 0x80 else { continue }
            if let value = scalar(number, kind) { values.append(value) }
            (number, shift) = (0, 0)
        }
        return values
    }

    private func scalar(_ bits: UInt64, _ kind: Contract.Kind) -> JSON? {
        switch kind {
        case .double: .number(Double(bitPattern: bits))
        case .float: .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case .int32, .int64: .whole(Int64(bitPattern: bits))
        case .sint32: .whole(Int64(bits >> 1) ^ -Int64(bits & 1))
        case .uint32, .uint64: .integer(bits)
        case .bool: .bool(bits != 0)
        case .choice(let type):
            .string(contract.choices[type]?.first { $0.number == bits }?.word ?? "\(bits)")
        case .string, .bytes, .message: nil
        }
    }
}
