// SPDX-License-Identifier: Apache-2.0

/// Converts bytes to text and back without loss, for code that works with strings: the parser of a command line, the
/// comparison of file names.
///
/// Valid UTF-8 is left unchanged. Each invalid byte becomes the code point U+10FF00 plus the byte; the bytes of such a
/// code point in the input are escaped in the same way. The text is never shown and never leaves the process.
package enum ByteText {
    private static let first: UInt32 = 0x10FF00

    package static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isEscape) {
            return text
        }
        var text = String.UnicodeScalarView()
        var parser = UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var place = 0
        while true {
            let count: Int
            switch parser.parseScalar(from: &rest) {
            case .emptyInput: return String(text)
            case .error(let length): count = length
            case .valid(let encoded):
                let scalar = UTF8.decode(encoded)
                guard isEscape(scalar) else {
                    text.append(scalar)
                    place += encoded.count
                    continue
                }
                count = encoded.count
            }
            text.append(contentsOf: bytes[place..<place + count].compactMap { UnicodeScalar(first + UInt32($0)) })
            place += count
        }
    }

    package static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: isEscape) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            isEscape(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    /// Whether the text has escapes: it stands for bytes that are not UTF-8, or that would look like an escape.
    package static func hasEscapes(_ text: String) -> Bool { text.unicodeScalars.contains(where: isEscape) }

    private static func isEscape(_ scalar: UnicodeScalar) -> Bool { scalar.value & 0xFFFF_FF00 == first }
}
