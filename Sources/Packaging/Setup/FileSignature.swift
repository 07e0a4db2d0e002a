// SPDX-License-Identifier: Apache-2.0

/// Names common files that are not media, from their first bytes.
package enum FileSignature {
    /// The number of bytes that are examined.
    package static let byteLimit = 512

    private static let known: [(bytes: [UInt8], name: String)] = [
        (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
        (Array("PK\u{5}\u{6}".utf8), "an empty ZIP archive"),
        (Array("Rar!".utf8), "a RAR archive"),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
        ([0x1F, 0x8B], "a file compressed by gzip"),
        (Array("BZh".utf8), "a file compressed by bzip2"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "a file compressed by xz"),
        ([0x28, 0xB5, 0x2F, 0xFD], "a file compressed by zstd"),
        (Array("%PDF-".utf8), "a PDF document"),
        ([0x7F, 0x45, 0x4C, 0x46], "a program"),
        (Array("SQLite format 3".utf8), "an SQLite database"),
    ]

    /// Where an archive of tar states its format (POSIX.1-2017, pax, ustar interchange format), and what it states.
    private static let tar = (offset: 257, magic: Array("ustar".utf8))

    /// What a file is, with its article. `nil` if its first bytes do not say so.
    ///
    /// - Parameter start: the first bytes; those after `byteLimit` are ignored.
    package static func name(of start: [UInt8]) -> String? {
        let start = start.prefix(byteLimit)
        if let found = known.first(where: { start.starts(with: $0.bytes) }) { return found.name }
        return start.dropFirst(tar.offset).starts(with: tar.magic) ? "a tar archive" : nil
    }

    /// Whether the first bytes of a file are those of a text.
    package static func isText(_ start: [UInt8]) -> Bool {
        !start.isEmpty && start.prefix(byteLimit).allSatisfy(isTextual)
    }

    /// Whether a byte occurs in texts of charsets that extend ASCII.
    private static func isTextual(_ byte: UInt8) -> Bool {
        switch byte {
        // Tab, the line ends, form feed, escape
        case 0x09, 0x0A, 0x0C, 0x0D, 0x1B: true
        default: byte >= 0x20 && byte != 0x7F
        }
    }
}
