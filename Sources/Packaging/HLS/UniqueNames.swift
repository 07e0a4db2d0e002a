// SPDX-License-Identifier: Apache-2.0

/// Gives each member of a group a NAME of its own (RFC 8216 §4.3.4.1.1).
struct UniqueNames {
    private var taken: Set<String> = []

    /// - Parameters:
    ///   - wanted: what the source calls it. When blank, the language in English stands in, else `otherwise`.
    ///   - language: as the source has it.
    mutating func take(_ wanted: String, language: String, otherwise: String) -> String {
        let wanted = AttributeText.quotable(wanted)
        let isBlank = wanted.allSatisfy { $0 == " " }
        let base = isBlank ? LanguageCode.englishName(language) ?? LanguageCode.tag(language) ?? otherwise : wanted
        var name = base
        var count = 2
        while !taken.insert(name).inserted {
            name = "\(base) (\(count))"
            count += 1
        }
        return name
    }
}
