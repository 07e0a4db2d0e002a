// SPDX-License-Identifier: Apache-2.0

/// Reads big-endian numbers from the front of a byte array. Throws `truncated` rather than reading past the end.
package struct ByteReader {
    package let bytes: [UInt8]
    /// The name of the structure being read, for error messages.
    package let subject: String
    package private(set) var position = 0

    package init(_ bytes: [UInt8], subject: String) {
        self.bytes = bytes
        self.subject = subject
    }

    package var remaining: Int { bytes.count - position }
    package var isAtEnd: Bool { remaining == 0 }

    package mutating func byte() throws(PackagingError) -> UInt8 {
        try require(1)
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func uint16() throws(PackagingError) -> UInt16 {
        UInt16(truncatingIfNeeded: try number(byteCount: 2))
    }
    package mutating func uint32() throws(PackagingError) -> UInt32 {
        UInt32(truncatingIfNeeded: try number(byteCount: 4))
    }

    /// - Parameter byteCount: 1 to 8.
    package mutating func number(byteCount: Int) throws(PackagingError) -> UInt64 {
        try require(byteCount)
        var value: UInt64 = 0
        for offset in 0..<byteCount { value = value << 8 | UInt64(bytes[position + offset]) }
        position += byteCount
        return value
    }

    package mutating func take(_ count: Int) throws(PackagingError) -> [UInt8] {
        try require(count)
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    package mutating func takeRest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[position...])
    }

    package mutating func skip(_ count: Int) throws(PackagingError) {
        try require(count)
        position += count
    }

    private func require(_ count: Int) throws(PackagingError) {
        guard count >= 0, count <= remaining else {
            throw PackagingError(
                .truncated,
                "\(subject) ends at byte \(bytes.count), \(count) more expected at \(position)"
            )
        }
    }
}
