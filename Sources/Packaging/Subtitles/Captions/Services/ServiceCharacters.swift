// SPDX-License-Identifier: Apache-2.0

/// The characters of CTA-708 (§7.1): sets G0 to G3.
enum ServiceCharacters {
    /// G0 is ASCII except for its last character; G1 is the upper half of Latin-1.
    static func basic(_ code: UInt8) -> Unicode.Scalar { code == 0x7F ? "\u{266A}" : Unicode.Scalar(code) }

    /// P16: a 16-bit character. Invalid values become U+FFFD.
    static func wide(_ high: UInt8, _ low: UInt8) -> Unicode.Scalar {
        let value = UInt16(high) << 8 | UInt16(low)
        guard value >= 0x20, !(0x7F..<0xA0).contains(value) else { return "\u{FFFD}" }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    /// G2 and G3. Unassigned positions are underscores (§7.1.6); `nil` for codes outside these sets.
    static func extended(_ code: UInt8) -> Unicode.Scalar? {
        switch code {
        case 0x20...0x7F: special[code] ?? "_"
        // G3 has one character, the caption icon.
        case 0xA0: "\u{1F172}"
        case 0xA1...0xFF: "_"
        default: nil
        }
    }

    private static let special: [UInt8: Unicode.Scalar] = [
        // Transparent spaces; the second is non-breaking.
        0x20: " ", 0x21: "\u{A0}",
        0x25: "\u{2026}", 0x2A: "\u{160}", 0x2C: "\u{152}", 0x30: "\u{2588}", 0x31: "\u{2018}", 0x32: "\u{2019}",
        0x33: "\u{201C}", 0x34: "\u{201D}", 0x35: "\u{2022}", 0x39: "\u{2122}", 0x3A: "\u{161}", 0x3C: "\u{153}",
        0x3D: "\u{2120}", 0x3F: "\u{178}", 0x76: "\u{215B}", 0x77: "\u{215C}", 0x78: "\u{215D}", 0x79: "\u{215E}",
        0x7A: "\u{2502}", 0x7B: "\u{2510}", 0x7C: "\u{2514}", 0x7D: "\u{2500}", 0x7E: "\u{2518}", 0x7F: "\u{250C}",
    ]
}
