// SPDX-License-Identifier: Apache-2.0

/// Text as a source states it, before it is converted.
package struct CodedText: Hashable, Sendable {
    /// By a name that `iconv` knows.
    package let charset: String
    package let bytes: [UInt8]

    package init(charset: String, bytes: [UInt8]) {
        self.charset = charset
        self.bytes = bytes
    }

    /// The charset of texts in DVB tables that name none. In them, the byte A4 is the euro sign, which ISO 6937 lacks.
    package static let broadcastDefault = "ISO6937"

    /// No text.
    package static let empty = CodedText(charset: "UTF-8", bytes: [])
}
