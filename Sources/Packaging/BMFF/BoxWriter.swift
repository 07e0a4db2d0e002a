// SPDX-License-Identifier: Apache-2.0

/// A four-character code as a big-endian number.
struct BoxType: Hashable, Sendable, ExpressibleByStringLiteral {
    let code: UInt32

    init(stringLiteral characters: StaticString) {
        precondition(characters.utf8CodeUnitCount == 4, "a box type has four characters")
        code = characters.description.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// Appends big-endian numbers and nested boxes (ISO/IEC 14496-12 §4.2) to a byte array.
struct BoxWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func uint16(_ value: UInt16) {
        byte(UInt8(truncatingIfNeeded: value >> 8))
        byte(UInt8(truncatingIfNeeded: value))
    }

    mutating func uint32(_ value: UInt32) {
        uint16(UInt16(truncatingIfNeeded: value >> 16))
        uint16(UInt16(truncatingIfNeeded: value))
    }

    mutating func uint64(_ value: UInt64) {
        uint32(UInt32(truncatingIfNeeded: value >> 32))
        uint32(UInt32(truncatingIfNeeded: value))
    }

    mutating func type(_ value: BoxType) { uint32(value.code) }
    mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }
    mutating func append(_ values: [UInt8]) { bytes.append(contentsOf: values) }

    /// Writes each value after its 16-bit length. The lengths must fit.
    mutating func lengthPrefixed(_ values: [[UInt8]]) {
        for value in values {
            uint16(UInt16(clamping: value.count))
            append(value)
        }
    }

    /// Writes a box, and fills in its size once `body` has written the payload.
    mutating func box(_ type: BoxType, _ body: (inout BoxWriter) -> Void) {
        let start = bytes.count
        uint32(0)
        self.type(type)
        body(&self)
        patch(UInt32(clamping: bytes.count - start), at: start)
    }

    mutating func fullBox(
        _ type: BoxType,
        version: UInt8 = 0,
        flags: UInt32 = 0,
        _ body: (inout BoxWriter) -> Void
    ) {
        box(type) { writer in
            writer.uint32(UInt32(version) << 24 | flags & 0xFF_FFFF)
            body(&writer)
        }
    }

    /// Four bytes written earlier.
    func uint32(at index: Int) -> UInt32 { bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    /// Overwrites four bytes written earlier.
    mutating func patch(_ value: UInt32, at index: Int) {
        for offset in 0..<4 { bytes[index + offset] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * offset)) }
    }
}
