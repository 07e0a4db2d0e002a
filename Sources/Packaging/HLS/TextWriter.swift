// SPDX-License-Identifier: Apache-2.0

/// Appends playlist text to a byte array without allocating a string per line.
struct TextWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func newline() { bytes.append(0x0A) }
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
    mutating func append(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    mutating func line(_ text: String) {
        append(text)
        newline()
    }

    /// - Parameter minimumDigits: padded with leading zeros.
    mutating func decimal(_ value: UInt64, minimumDigits: Int = 1) {
        let start = bytes.count
        var rest = value
        repeat {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        while bytes.count - start < minimumDigits { bytes.append(0x30) }
        bytes[start...].reverse()
    }

    /// Seconds with six decimals. A negative duration, which no segment has, is written as 0.
    mutating func seconds(microseconds: Int64) {
        let length = UInt64(max(0, microseconds))
        decimal(length / 1_000_000)
        bytes.append(0x2E)
        decimal(length % 1_000_000, minimumDigits: 6)
    }
}
