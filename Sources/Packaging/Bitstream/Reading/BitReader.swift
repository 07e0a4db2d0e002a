// SPDX-License-Identifier: Apache-2.0

/// Reads bit fields, most significant bit first. Throws `truncated` rather than reading past the end.
struct BitReader {
    private let bytes: [UInt8]
    private let subject: String
    /// In bits.
    private(set) var position = 0

    init(_ bytes: [UInt8], subject: String) {
        self.bytes = bytes
        self.subject = subject
    }

    var remaining: Int { bytes.count * 8 - position }

    /// - Parameter count: 0 to 32.
    mutating func bits(_ count: Int) throws(PackagingError) -> UInt32 {
        try require(count)
        var value: UInt32 = 0
        for _ in 0..<count {
            value = value << 1 | UInt32(bytes[position >> 3] >> (7 - UInt8(truncatingIfNeeded: position & 7)) & 1)
            position += 1
        }
        return value
    }

    mutating func int(_ count: Int) throws(PackagingError) -> Int { Int(try bits(count)) }

    mutating func flag() throws(PackagingError) -> Bool { try bits(1) == 1 }

    mutating func skip(_ count: Int) throws(PackagingError) {
        try require(count)
        position += count
    }

    mutating func alignToByte() { position = min((position + 7) & ~7, bytes.count * 8) }

    /// `ue(v)`, ITU-T H.264 §9.1: at most 31 leading zeros, so at most 2^32 - 2.
    mutating func unsignedExpGolomb() throws(PackagingError) -> Int {
        var zeros = 0
        while try !flag() {
            zeros += 1
            guard zeros <= 32 else {
                throw PackagingError(.malformed, "\(subject) contains an Exp-Golomb code longer than 32 bits")
            }
        }
        guard zeros < 32 else { throw PackagingError(.limitExceeded, "\(subject) has a number above 2^32 - 2") }
        return (1 << zeros) - 1 + Int(try bits(zeros))
    }

    /// `se(v)`, ITU-T H.264 §9.1.1.
    mutating func signedExpGolomb() throws(PackagingError) -> Int {
        let code = try unsignedExpGolomb()
        return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
    }

    /// `ue(v)` that must lie in `0...limit`.
    mutating func unsignedExpGolomb(atMost limit: Int, _ field: String) throws(PackagingError) -> Int {
        let value = try unsignedExpGolomb()
        guard value <= limit else {
            throw PackagingError(.malformed, "\(subject): \(field) is \(value), the limit is \(limit)")
        }
        return value
    }

    private func require(_ count: Int) throws(PackagingError) {
        guard count >= 0, count <= remaining else {
            throw PackagingError(.truncated, "\(subject) ends after \(bytes.count) bytes, in the middle of a field")
        }
    }
}
