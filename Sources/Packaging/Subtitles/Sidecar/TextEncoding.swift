// SPDX-License-Identifier: Apache-2.0

/// Detects the encoding of text from its bytes. Pure.
package enum TextEncoding: Hashable, Sendable {
    case utf8
    case utf16LittleEndian, utf16BigEndian
    case utf32LittleEndian, utf32BigEndian
    /// An encoding that only statistics can identify.
    case legacy

    /// The name in the C library. `nil` for `legacy`.
    package var charset: String? {
        switch self {
        case .utf8: "UTF-8"
        case .utf16LittleEndian: "UTF-16LE"
        case .utf16BigEndian: "UTF-16BE"
        case .utf32LittleEndian: "UTF-32LE"
        case .utf32BigEndian: "UTF-32BE"
        case .legacy: nil
        }
    }

    /// The encoding, and the length of the byte order mark (Unicode §23.8).
    package static func of(_ bytes: [UInt8]) -> (encoding: TextEncoding, markLength: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32LittleEndian, 4) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32BigEndian, 4) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if let wide = unmarkedUTF16(bytes.prefix(64 << 10)) { return (wide, 0) }
        return (isUTF8(bytes) ? .utf8 : .legacy, 0)
    }

    /// Timestamps and tags are ASCII, in which every other byte is 0 in UTF-16.
    private static func unmarkedUTF16(_ bytes: ArraySlice<UInt8>) -> TextEncoding? {
        var zeros = (even: 0, odd: 0)
        for (offset, byte) in bytes.enumerated() where byte == 0 {
            if offset % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
        }
        let pairs = bytes.count / 2
        guard pairs > 1 else { return nil }
        if zeros.odd * 5 > pairs, zeros.even * 20 <= pairs { return .utf16LittleEndian }
        if zeros.even * 5 > pairs, zeros.odd * 20 <= pairs { return .utf16BigEndian }
        return nil
    }

    /// Whether bytes are UTF-8, possibly with a few damaged places: valid multi-byte sequences must outnumber invalid
    /// bytes eight to one. ISO 2022 escape sequences indicate another encoding.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var (whole, wrong) = (0, 0)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte < 0x80 {
                if byte == 0x1B, position + 1 < bytes.count, [0x24, 0x28].contains(bytes[position + 1]) {
                    return false
                }
                position += 1
                continue
            }
            let length = sequenceLength(at: position, in: bytes)
            if length > 0 { whole += 1 } else { wrong += 1 }
            position += max(1, length)
        }
        return wrong == 0 || whole >= wrong * 8
    }

    /// The length of a well-formed sequence (Unicode table 3-7); 0 if there is none.
    private static func sequenceLength(at position: Int, in bytes: [UInt8]) -> Int {
        let (length, second): (Int, ClosedRange<UInt8>)
        switch bytes[position] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return 0 }
        for next in bytes[(position + 2)..<(position + length)] where !(0x80...0xBF).contains(next) { return 0 }
        return length
    }

    /// The C library's name for an encoding reported by a detector, replaced by the superset that real files use.
    package static func name(ofDetected name: String) -> String {
        switch name.uppercased() {
        case "ASCII": "UTF-8"
        case "ISO-8859-1": "WINDOWS-1252"
        case "SHIFT_JIS": "CP932"
        case "EUC-KR", "UHC": "CP949"
        case "BIG5": "BIG5-HKSCS"
        case "GB2312", "GBK", "HZ-GB-2312": "GB18030"
        case "TIS-620", "ISO-8859-11": "CP874"
        case "ISO-8859-9": "WINDOWS-1254"
        default: name
        }
    }

    /// The default if detection fails: the encoding of most old files.
    package static let usual = "WINDOWS-1252"
}
