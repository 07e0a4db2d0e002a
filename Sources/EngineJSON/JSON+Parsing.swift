// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not JSON.
package struct JSONError: Error, Hashable, Sendable {
    package let reason: String
    /// The offset of the byte where parsing stopped.
    package let offset: Int
}

extension JSON {
    /// The maximum nesting depth of arrays and objects.
    package static let depthLimit = 32

    /// Parses one value (RFC 8259). A member name may not occur twice in an object.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes: bytes)
        self = try parser.document()
    }

    /// The member of an object; `nil` if this is not an object or has no such member.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

private struct JSONParser {
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    let bytes: [UInt8]
    var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard offset == bytes.count else { throw failure("has text behind the value") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || Self.digits.contains(byte): return try number()
        default: throw failure("expected a value")
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSON {
        guard depth <= JSON.depthLimit else { throw failure("is nested too deeply") }
        offset += 1
        var members: [JSON.Member] = []
        var names: Set<String> = []
        while true {
            skipSpace()
            if members.isEmpty, take("}") { return .object([]) }
            guard peek == UInt8(ascii: "\"") else { throw failure("expected a member name") }
            let name = try string()
            guard names.insert(name).inserted else { throw failure("has the member \(name) twice") }
            skipSpace()
            guard take(":") else { throw failure("expected a colon") }
            members.append(JSON.Member(name: name, value: try value(depth: depth)))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw failure("expected a comma or }") }
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSON {
        guard depth <= JSON.depthLimit else { throw failure("is nested too deeply") }
        offset += 1
        var values: [JSON] = []
        while true {
            skipSpace()
            if values.isEmpty, take("]") { return .array([]) }
            values.append(try value(depth: depth))
            skipSpace()
            if take("]") { return .array(values) }
            guard take(",") else { throw failure("expected a comma or ]") }
        }
    }

    private mutating func number() throws(JSONError) -> JSON {
        let start = offset
        _ = take("-")
        if !take("0"), !digits() { throw failure("expected a digit") }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard digits() else { throw failure("expected a digit") }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard digits() else { throw failure("expected a digit") }
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isWhole, let value = Int64(text) { return .whole(value) }
        guard let value = Double(text), value.isFinite else { throw failure("has a number that is too large") }
        return .number(value)
    }

    private mutating func digits() -> Bool {
        let start = offset
        while let byte = peek, Self.digits.contains(byte) { offset += 1 }
        return offset > start
    }

    private mutating func string() throws(JSONError) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = peek {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw failure("is not UTF-8") }
                return string
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw failure("has a control character in a string")
            default: text.append(byte)
            }
        }
        throw failure("ends within a string")
    }

    /// The UTF-8 bytes of an escape whose backslash has been read.
    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = peek else { throw failure("ends within a string") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"): return Array(String(Character(try unicode())).utf8)
        default: throw failure("has an unknown escape")
        }
    }

    private mutating func unicode() throws(JSONError) -> Unicode.Scalar {
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else {
            throw failure("has half a surrogate pair")
        }
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw failure("has half a surrogate pair") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        guard offset + 4 <= bytes.count,
            bytes[offset..<offset + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw failure("expected four hexadecimal digits") }
        offset += 4
        return value
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONError) -> JSON {
        let count = word.utf8CodeUnitCount
        guard offset + count <= bytes.count, bytes[offset..<offset + count].elementsEqual(word.description.utf8) else {
            throw failure("expected a value")
        }
        offset += count
        return value
    }

    private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private func failure(_ reason: String) -> JSONError { JSONError(reason: reason, offset: offset) }
}
