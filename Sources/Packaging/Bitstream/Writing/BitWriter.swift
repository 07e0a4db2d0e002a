// SPDX-License-Identifier: Apache-2.0

/// Writes bit fields, most significant bit first: the inverse of `BitReader`.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    /// The number of bits written to the last byte, 1 to 8; 8 if there is no byte yet.
    private var used = 8

    /// - Parameter count: 0 to 32; higher bits of `value` are ignored.
    mutating func bits(_ value: UInt32, _ count: Int) {
        for shift in stride(from: count - 1, through: 0, by: -1) { flag(value >> UInt32(shift) & 1 == 1) }
    }

    mutating func flag(_ value: Bool) {
        if used == 8 {
            bytes.append(0)
            used = 0
        }
        if value { bytes[bytes.count - 1] |= 0x80 >> UInt8(used) }
        used += 1
    }

    /// `ue(v)`, ITU-T H.264 §9.1.
    ///
    /// - Parameter value: 0 to 2^32 - 2.
    mutating func unsignedExpGolomb(_ value: Int) {
        let code = UInt64(value) + 1
        let length = UInt64.bitWidth - code.leadingZeroBitCount
        bits(0, length - 1)
        flag(true)
        bits(UInt32(truncatingIfNeeded: code), length - 1)
    }

    /// `se(v)`, ITU-T H.264 §9.1.1.
    mutating func signedExpGolomb(_ value: Int) { unsignedExpGolomb(value > 0 ? 2 * value - 1 : -2 * value) }

    /// Fills the rest of the last byte with zeros.
    mutating func alignToByte() { used = 8 }

    /// - Precondition: byte-aligned.
    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }
}
