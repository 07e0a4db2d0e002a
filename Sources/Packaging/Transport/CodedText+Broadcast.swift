// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension CodedText {
    /// Charsets by the first byte of a text (ETSI EN 300 468, Table A.3).
    private static let charsets: [UInt8: String] = [
        0x01: "ISO-8859-5", 0x02: "ISO-8859-6", 0x03: "ISO-8859-7", 0x04: "ISO-8859-8", 0x05: "ISO-8859-9",
        0x06: "ISO-8859-10", 0x07: "ISO-8859-11", 0x09: "ISO-8859-13", 0x0A: "ISO-8859-14", 0x0B: "ISO-8859-15",
        0x11: "UTF-16BE", 0x12: "EUC-KR", 0x13: "EUC-CN", 0x14: "UTF-16BE", 0x15: "UTF-8",
    ]
    /// The charsets in which a control code takes more than one byte.
    private static let wide: Set<String> = ["UTF-16BE", "UTF-8"]

    /// The text of a DVB table (Annex A). Empty if its charset is unknown.
    init(broadcast bytes: ArraySlice<UInt8>) {
        guard let first = bytes.first else {
            self = .empty
            return
        }
        var (charset, rest): (String?, ArraySlice<UInt8>) = (CodedText.broadcastDefault, bytes)
        if first == 0x10 {
            (charset, rest) = (Self.latin(bytes.dropFirst().prefix(2)), bytes.dropFirst(3))
        } else if first < 0x20 {
            (charset, rest) = (Self.charsets[first], bytes.dropFirst())
        }
        guard let charset else {
            self = .empty
            return
        }
        self.init(charset: charset, bytes: Self.wide.contains(charset) ? Array(rest) : Self.printable(rest))
    }

    /// The part of ISO 8859 that two bytes name.
    private static func latin(_ number: ArraySlice<UInt8>) -> String? {
        guard number.count == 2, number.first == 0, let part = number.last, (1...15).contains(part), part != 12 else {
            return nil
        }
        return "ISO-8859-\(part)"
    }

    /// The text without control codes of one byte. The code for a new line becomes a line feed (Table A.1).
    private static func printable(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.compactMap { byte in
            switch byte {
            case 0x8A: 0x0A
            case 0..<0x20, 0x7F..<0xA0: nil
            default: byte
            }
        }
    }
}
