// SPDX-License-Identifier: Apache-2.0

/// Gives each member of a group a unique NAME (RFC 8216 §4.3.4.1.1).
struct UniqueNames {
    private var taken: Set<String> = []

    /// - Parameters:
    ///   - wanted: the name in the source. If it is blank, the name is the English name of the language, its tag, or
    ///     `otherwise`, whichever is known first.
    ///   - language: as the source spells it.
    mutating func take(_ wanted: String, language: String, otherwise: String) -> String {
        let wanted = AttributeText.name(wanted)
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
