// SPDX-License-Identifier: Apache-2.0

/// MPEG-4 part 2 (ISO/IEC 14496-2): detects streams that players cannot handle.
package enum MPEG4Visual {
    private static let userData: UInt8 = 0xB2
    private static let objectPlane: UInt8 = 0xB6
    private static let userDataLimit = 256

    /// Whether a packet or codec private data indicates a packed bitstream: by two pictures in one packet, which is how
    /// AVI muxers store B-pictures, or by the mark of DivX in the user data, `DivX…p`.
    package static func isPacked(_ bytes: Span<UInt8>) -> Bool {
        var pictures = 0
        var at = AnnexB.startCode(in: bytes, from: 0)
        while let code = at, code + 3 < bytes.count {
            switch bytes[code + 3] {
            case objectPlane:
                pictures += 1
                if pictures > 1 { return true }
            case userData:
                if isPackedMark(bytes, from: code + 4) { return true }
            default: break
            }
            at = AnnexB.startCode(in: bytes, from: code + 3)
        }
        return false
    }

    /// `DivX503b1393p`, `DivX501Build413p`: letters and digits, ending in `p`.
    private static func isPackedMark(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        var text: [UInt8] = []
        var index = start
        while index < bytes.count, text.count < userDataLimit, isLetterOrDigit(bytes[index]) {
            text.append(bytes[index])
            index += 1
        }
        return text.starts(with: "DivX".utf8) && text.count > 5 && text.last == UInt8(ascii: "p")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
