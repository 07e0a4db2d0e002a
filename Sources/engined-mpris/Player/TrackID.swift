// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// `mpris:trackid`: stable for a source within a session, across restarts of both programs. Changes when the session
/// gets another source.
enum TrackID {
    static func path(of state: SessionState) -> String {
        "/engined/session_\(element(state.id.rawValue))/source_\(digest(state.source))"
    }

    /// `text` with every byte that is not an ASCII letter or digit written as `_` and two hexadecimal digits, as the
    /// elements of object paths require.
    private static func element(_ text: String) -> String {
        text.utf8.reduce(into: "") { element, byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                element.unicodeScalars.append(UnicodeScalar(byte))
            default: element += "_" + hexadecimal(UInt64(byte), digits: 2)
            }
        }
    }

    /// FNV-1a, 64 bits (draft-eastlake-fnv). The digest must be stable, not hard to guess.
    private static func digest(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return hexadecimal(hash, digits: 16)
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
