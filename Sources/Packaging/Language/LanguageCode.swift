// SPDX-License-Identifier: Apache-2.0

/// One language in its three spellings.
package enum LanguageCode {
    /// ISO 639-2/T, packed as `mdhd` has it (ISO/IEC 14496-12 §8.4.2.3); `und` when it is not a known code.
    static func packed(_ language: String) -> UInt16 {
        let letters = Array(terminology(language).utf8)
        return letters.reduce(0) { $0 << 5 | UInt16($1 &- 0x60) & 0x1F }
    }

    /// Three lower-case letters, ISO 639-2/T; `und` when the language is not known.
    package static func terminology(_ language: String) -> String {
        let primary = subtags(language).first ?? ""
        if let row = rows[primary] { return row.terminology }
        return primary.utf8.count == 3 ? primary : "und"
    }

    /// The BCP 47 tag for LANGUAGE (RFC 8216 §4.3.4.1): the shortest code, with the source's further subtags.
    /// `nil` when the language is not known.
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

    /// Subtags of letters and digits, the first of letters alone and in lower case. Anything else ends the tag.
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

    private struct Row {
        let short: String
        let terminology: String
    }

    private static let rows: [String: Row] = {
        var rows: [String: Row] = [:]
        for line in LanguageTable.rows {
            let row = Row(short: line.0, terminology: line.1)
            for key in [line.0, line.1, line.2] { rows[key] = row }
        }
        return rows
    }()
}
