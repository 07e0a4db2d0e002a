// SPDX-License-Identifier: Apache-2.0

/// Iterates over the fields of a protobuf message (protobuf.dev, "Encoding"). Holds only a position; callers pass in
/// the bytes.
package struct WireReader {
    package struct Field {
        package let number: UInt64
        /// The range of a length-delimited field's bytes; `nil` for other wire types.
        package let payload: Range<Int>?
        /// The value of a varint, or the bits of a fixed-width field; `nil` for length-delimited fields.
        package let value: UInt64?
    }

    package private(set) var offset = 0
    private let count: Int

    package init(count: Int) { self.count = count }

    package var isAtEnd: Bool { offset >= count }

    /// The next field, or `nil` if the bytes are malformed or have ended. Groups count as malformed.
    package mutating func next(in bytes: Span<UInt8>) -> Field? {
        guard let tag = varint(in: bytes), tag >> 3 != 0 else { return nil }
        switch tag & 7 {
        case 0: return varint(in: bytes).map { Field(number: tag >> 3, payload: nil, value: $0) }
        case 1: return fixed(8, in: bytes).map { Field(number: tag >> 3, payload: nil, value: $0) }
        case 2:
            guard let length = varint(in: bytes), length <= UInt64(count - offset) else { return nil }
            let start = offset
            return skip(Int(length)) ? Field(number: tag >> 3, payload: start..<offset, value: nil) : nil
        case 5: return fixed(4, in: bytes).map { Field(number: tag >> 3, payload: nil, value: $0) }
        default: return nil
        }
    }

    private mutating func skip(_ length: Int) -> Bool {
        guard length <= count - offset else { return false }
        offset += length
        return true
    }

    private mutating func fixed(_ length: Int, in bytes: Span<UInt8>) -> UInt64? {
        let start = offset
        guard skip(length) else { return nil }
        var value: UInt64 = 0
        for index in (start..<offset).reversed() { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    private mutating func varint(in bytes: Span<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard offset < count else { return nil }
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

/// Encodes a number as a varint (protobuf.dev, "Base 128 Varints").
package func varint(_ value: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = value
    while rest >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}
