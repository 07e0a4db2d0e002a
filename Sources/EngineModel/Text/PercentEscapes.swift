// SPDX-License-Identifier: Apache-2.0

/// Percent escapes in URLs (RFC 3986 §2.1), which stand for bytes in any encoding. Pure.
package enum PercentEscapes {
    /// The bytes that a part of a URL stands for.
    ///
    /// - Returns: `nil` if an escape is not two hexadecimal digits.
    package static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Bytes as a part of a URL, in ASCII. Every byte is escaped for which `isPlain` is `false`.
    package static func text(of bytes: some Sequence<UInt8>, keeping isPlain: (UInt8) -> Bool) -> String {
        bytes.map { byte in
            if isPlain(byte) { return String(UnicodeScalar(byte)) }
            return "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// Whether a byte is an unreserved character, which needs no escape in any part of a URL (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
