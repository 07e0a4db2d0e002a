// SPDX-License-Identifier: Apache-2.0

/// Converts between language codes, tags and names.
package enum LanguageCode {
    /// The result of `terminology`, packed as in `mdhd` (ISO/IEC 14496-12 §8.4.2.3).
    static func packed(_ language: String) -> UInt16 {
        let letters = Array(terminology(language).utf8)
        return letters.reduce(0) { $0 << 5 | UInt16($1 &- 0x60) & 0x1F }
    }

    /// Three lower-case letters, ISO 639-2/T. An unknown code of three letters is returned as it is; anything else that
    /// is unknown gives `und`.
    package static func terminology(_ language: String) -> String {
        let primary = subtags(language).first ?? ""
        if let row = rows[primary] { return row.terminology }
        return primary.utf8.count == 3 ? primary : "und"
    }

    /// The BCP 47 tag for LANGUAGE (RFC 8216 §4.3.4.1): the shortest code, followed by the source's other subtags. An
    /// unknown code of two or three letters is kept. `nil` for anything else, and for `und`, `mis` and `zxx`.
    package static func tag(_ language: String) -> String? {
        var parts = subtags(language)
        guard let primary = parts.first else { return nil }
        if let row = rows[primary] {
            parts[0] = row.short
        } else if primary.utf8.count != 3 && primary.utf8.count != 2 {
            return nil
        }
        return parts[0] == "und" || parts[0] == "mis" || parts[0] == "zxx" ? nil : parts.joined(separator: "-")
    }

    /// Subtags of letters and digits. The first has letters only and is lower-cased. Any other character ends the tag.
    private static func subtags(_ language: String) -> [String] {
        let words = language.prefix(64).split(separator: "-", omittingEmptySubsequences: false)
            .flatMap { $0.split(separator: "_", omittingEmptySubsequences: false) }
        guard let first = words.first?.lowercased(), !first.isEmpty,
            first.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
        else { return [] }
        let rest = words.dropFirst().prefix { word in
            (1...8).contains(word.utf8.count)
                && word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
        }
        return [first] + rest.map(String.init)
    }

    /// The usual English name. `nil` if the language is unknown.
    package static func englishName(_ language: String) -> String? {
        subtags(language).first.flatMap { rows[$0] }?.names.first
    }

    /// The primary subtag of a code, a tag or an English name, as `terminology` returns it, and the other subtags in
    /// lower case. `nil` if that is `und`, `mis` or `zxx`.
    static func parts(of text: String) -> (primary: String, rest: [String])? {
        if let row = byName[text.lowercased()] { return (row.terminology, []) }
        let code = terminology(text)
        guard code != "und", code != "mis", code != "zxx" else { return nil }
        return (code, subtags(text).dropFirst().map { $0.lowercased() })
    }

    private static let rows: [String: LanguageTable.Row] = {
        var rows: [String: LanguageTable.Row] = [:]
        for row in LanguageTable.rows {
            for key in [row.short, row.terminology, row.bibliographic] { rows[key] = row }
        }
        for (alias, short) in LanguageTable.aliases { rows[alias] = rows[short] }
        return rows
    }()

    private static let byName = Dictionary(
        LanguageTable.rows.flatMap { row in row.names.map { ($0.lowercased(), row) } },
        uniquingKeysWith: { first, _ in first }
    )
}
