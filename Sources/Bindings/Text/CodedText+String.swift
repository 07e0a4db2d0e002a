// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension CodedText {
    /// In bytes of UTF-8: more than a text of a DVB table can take.
    private static let limit = 4096

    /// The text without control codes, except for new lines. Empty if the C library does not know the charset;
    /// sequences that are invalid in it become U+FFFD.
    package var string: String {
        guard charset == Self.broadcastDefault else { return Self.plain(converted(bytes)) }
        let parts = bytes.split(separator: 0xA4, omittingEmptySubsequences: false)
        return Self.plain(parts.map { converted(Array($0)) }.joined(separator: "€"))
    }

    private func converted(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty, var converter = CharsetConverter(charset),
            let text = converter.utf8(bytes, limit: Self.limit)?.text
        else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    /// The control codes of wide charsets are U+E080 … U+E09F (ETSI EN 300 468, Table A.2).
    private static func plain(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x8A, 0xE08A: plain.append("\n")
            case 0..<0x20, 0x7F..<0xA0, 0xE080...0xE09F: break
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }
}
