// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    package init(copying source: Span<UInt8>) {
        self.init(capacity: source.count) { $0.append(source, 0..<source.count) }
    }
}

extension Span<UInt8> {
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}

extension OutputSpan<UInt8> {
    /// Appends a four-byte length.
    mutating func appendLength(_ count: Int) {
        let length = UInt32(truncatingIfNeeded: count)
        for shift in [UInt32(24), 16, 8, 0] { append(UInt8(truncatingIfNeeded: length >> shift)) }
    }

    /// Appends the bytes of `source` in `range`.
    mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) {
        let part = source.extracting(range)
        for index in part.indices { append(part[index]) }
    }
}
