// SPDX-License-Identifier: Apache-2.0

/// Parses EBML elements (RFC 8794) in memory.
enum MatroskaElements {
    static let elementLimit = 4096

    /// The elements in a byte range. If the last one is truncated or of unknown size, it extends to the end.
    static func children(
        of bytes: [UInt8],
        in range: Range<Int>,
        limit: Int = elementLimit
    ) -> [(id: UInt64, content: Range<Int>)] {
        var found: [(id: UInt64, content: Range<Int>)] = []
        var at = range.lowerBound
        while found.count < limit, let id = number(bytes, at, range.upperBound, keepsMarker: true),
            let size = number(bytes, at + id.length, range.upperBound, keepsMarker: false)
        {
            let start = at + id.length + size.length
            let rest = UInt64(range.upperBound - start)
            let end = start + Int(min(size.value, rest))
            found.append((id.value, start..<end))
            at = end
        }
        return found
    }

    /// A variable-size integer (RFC 8794 §4). A size with all bits set means unknown and is returned as `UInt64.max`.
    static func number(
        _ bytes: [UInt8],
        _ at: Int,
        _ end: Int,
        keepsMarker: Bool
    ) -> (value: UInt64, length: Int)? {
        guard at < end, bytes[at] != 0 else { return nil }
        let length = bytes[at].leadingZeroBitCount + 1
        guard length <= end - at else { return nil }
        let first = keepsMarker ? UInt64(bytes[at]) : UInt64(bytes[at]) & (0xFF >> UInt64(length))
        let value = bytes[(at + 1)..<(at + length)].reduce(first) { $0 << 8 | UInt64($1) }
        let isUnknown = !keepsMarker && value == (1 << UInt64(7 * length)) - 1
        return (isUnknown ? .max : value, length)
    }

    /// An unsigned integer (RFC 8794 §7.2). `nil` if it is longer than 8 bytes.
    static func unsigned(_ bytes: [UInt8], in range: Range<Int>) -> UInt64? {
        guard range.count <= 8 else { return nil }
        return bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}
