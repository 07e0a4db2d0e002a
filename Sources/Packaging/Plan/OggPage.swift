// SPDX-License-Identifier: Apache-2.0

/// The header of an Ogg page (RFC 3533 §6).
package struct OggPage: Hashable, Sendable {
    /// The length of the longest header.
    package static let headerByteCount = 27 + 255

    /// Whether a logical bitstream begins with the page.
    package let isFirst: Bool
    /// The length of the page, with its header.
    package let byteCount: Int64

    /// `nil` unless the bytes begin with a whole header.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 27, bytes.starts(with: "OggS".utf8), bytes[4] == 0 else { return nil }
        let content = 27 + Int(bytes[26])
        guard bytes.count >= content else { return nil }
        isFirst = bytes[5] & 2 != 0
        byteCount = bytes[27..<content].reduce(Int64(content)) { $0 + Int64($1) }
    }
}
