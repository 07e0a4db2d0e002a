// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// `mpris:trackid`: stable for a source within a session, across restarts of both programs. Changes when the session
/// gets another source.
enum TrackID {
    static func path(of state: SessionState) -> String {
        "/engined/session_\(element(state.id.rawValue))/source_\(StableHash(of: state.source.utf8).hexadecimal)"
    }

    /// `text` with every byte that is not an ASCII letter or digit written as `_` and two hexadecimal digits, as the
    /// elements of object paths require.
    private static func element(_ text: String) -> String {
        text.utf8.reduce(into: "") { element, byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                element.unicodeScalars.append(UnicodeScalar(byte))
            default: element += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
            }
        }
    }
}
