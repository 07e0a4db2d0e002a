// SPDX-License-Identifier: Apache-2.0

/// The encoding of text in a gRPC trailer: printable ASCII is unchanged, while `%` and all other bytes become `%XX`
/// (grpc/grpc: doc/PROTOCOL-HTTP2.md, "Percent-Encoded").
package enum PercentEncoding {
    /// The maximum number of bytes of text in one trailer, so that a long message cannot exceed the peer's header list
    /// limit.
    static let longestText = 1024

    static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in cut(text) {
            if byte >= 0x20 && byte <= 0x7E && byte != UInt8(ascii: "%") {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Leaves invalid sequences unchanged.
    package static func decode(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = value(bytes[index + 1]), let low = value(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// At most `longestText` bytes, cut between characters.
    private static func cut(_ text: String) -> Substring.UTF8View {
        var end = text.endIndex
        if text.utf8.count > longestText {
            end = text.utf8.index(text.startIndex, offsetBy: longestText)
            while end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
        }
        return text[..<end].utf8
    }

    private static func digit(_ value: UInt8) -> UInt8 { Array("0123456789ABCDEF".utf8)[Int(value)] }

    private static func value(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init)
    }
}
