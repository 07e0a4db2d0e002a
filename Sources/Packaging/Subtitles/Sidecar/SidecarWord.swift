// SPDX-License-Identifier: Apache-2.0

/// A word in the name of a subtitle file, and its meaning. Pure.
struct SidecarWord: Hashable, Sendable {
    enum Meaning: Hashable, Sendable {
        /// The language tag (BCP 47) of a code, a tag or a name of a language.
        case language(String)
        /// A disposition.
        case flag(String)
        /// A variety or a kind of text that has no disposition, such as `Latin` or `Signs`.
        case variant
        /// The number of a track.
        case number
    }

    let text: String
    /// `nil` if the word has no meaning for subtitles.
    let meaning: Meaning?

    init(text: String, meaning: Meaning?) {
        self.text = text
        self.meaning = meaning
    }

    init(_ text: String) {
        self.init(text: text, meaning: Self.meaning(of: text))
    }

    /// The words between separators. A hyphen or an underscore separates too, unless it is within a language tag.
    static func words(in text: String) -> [SidecarWord] {
        text.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" && !isMark($0) }.flatMap { chunk in
            words(of: chunk.split { $0 == "-" || $0 == "_" }.map(String.init))
        }
    }

    /// Joins parts to the longest possible language tags: `pt`, `BR`, `forced` become `pt-BR` and `forced`.
    private static func words(of parts: [String]) -> [SidecarWord] {
        var words: [SidecarWord] = []
        var rest = parts[...]
        while !rest.isEmpty {
            let tags = (1...min(3, rest.count)).reversed().lazy
                .map { (count: $0, word: SidecarWord(rest.prefix($0).joined(separator: "-"))) }
            let longest = tags.first { $0.word.meaning != nil }
            words.append(longest?.word ?? SidecarWord(rest[rest.startIndex]))
            rest = rest.dropFirst(longest?.count ?? 1)
        }
        return words
    }

    /// The words of `text`, if all of them have a meaning and at least one is not just a number; otherwise `nil`. Empty
    /// for a text without words.
    ///
    /// - Parameter startsWithNumber: whether the first word may be a number. Otherwise, such a number belongs to a
    ///   title: `film 2`.
    static func understood(_ text: String, startsWithNumber: Bool) -> [SidecarWord]? {
        let words = words(in: text)
        guard !words.isEmpty else { return [] }
        guard words.allSatisfy({ $0.meaning != nil }), words.contains(where: { $0.meaning != .number }),
            startsWithNumber || words.first?.text.first?.isNumber != true
        else { return nil }
        return words
    }

    /// Vowel signs and other combining marks, and bytes that are not UTF-8 (`ByteText`).
    private static func isMark(_ character: Character) -> Bool {
        character.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .spacingMark, .privateUse: true
            default: false
            }
        }
    }

    private static func meaning(of text: String) -> Meaning? {
        let word = text.lowercased()
        if let flag = flags[word] { return .flag(flag) }
        if variants.contains(word) { return .variant }
        if let tag = aliases[word] { return .language(tag) }
        if let tag = languageTag(of: text) { return .language(tag) }
        let digits = word.hasPrefix("track") ? word.dropFirst("track".count) : word[...]
        let isNumber = (1...3).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? .number : nil
    }

    /// The tag of a code in the table, of an English name, or of a code with a script and a region (RFC 5646 §2.1).
    private static func languageTag(of word: String) -> String? {
        guard let parts = LanguageCode.parts(of: word), LanguageCode.englishName(parts.primary) != nil,
            var tag = LanguageCode.tag(parts.primary)
        else { return nil }
        var rest = parts.rest[...]
        if let script = rest.first, scripts.contains(script) {
            tag += "-\(script.prefix(1).uppercased())\(script.dropFirst())"
            rest = rest.dropFirst()
        }
        if let region = rest.first, isRegion(region) {
            tag += "-\(region.uppercased())"
            rest = rest.dropFirst()
        }
        return rest.isEmpty ? tag : nil
    }

    /// The tag of a variety of the language, such as Brazilian Portuguese, if one of `variants` names it; otherwise the
    /// tag of the language.
    static func tag(_ language: String, variants: [String]) -> String {
        let words = Set(variants.map { $0.lowercased() })
        return varieties.first { $0.language == language && !$0.words.isDisjoint(with: words) }?.tag ?? language
    }

    private static let varieties: [(language: String, words: Set<String>, tag: String)] = [
        ("pt", ["brazilian", "brazil", "brasil"], "pt-BR"),
        ("es", ["latin", "latino", "latinoamericano", "america"], "es-419"),
        ("zh", ["simplified"], "zh-Hans"), ("zh", ["traditional"], "zh-Hant"), ("zh", ["cantonese"], "yue"),
        ("", ["cantonese"], "yue"),
    ]

    private static func isRegion(_ part: String) -> Bool {
        // `cc` (the Cocos Islands) and `hi` stand for captions here.
        if part.utf8.count == 2 { return part != "cc" && part != "hi" && part.utf8.allSatisfy { $0 >= 0x61 } }
        return part.utf8.count == 3 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let scripts: Set<String> = ["hans", "hant", "latn", "cyrl", "arab"]

    private static let flags = [
        "forced": "forced", "foreign": "forced", "sdh": "hearing_impaired", "cc": "hearing_impaired",
        "hoh": "hearing_impaired", "commentary": "comment", "comments": "comment", "default": "default",
    ]

    private static let variants: Set<String> = [
        "signs", "songs", "karaoke", "lyrics", "full", "dialogue", "dialog", "subtitle", "subtitles", "sub", "subs",
        "track",
        "text", "simplified", "traditional", "brazilian", "brazil", "brasil", "latin", "latino", "latinoamericano",
        "american", "america", "european", "canadian", "cantonese", "spain", "portugal", "stripped", "styled",
        // Automatic captions, and those of them that are not translated (yt-dlp: `en-orig`).
        "auto", "automatic", "generated", "orig", "original",
    ]

    /// Language names in the language itself, and codes used by subtitle sites.
    private static let aliases = [
        "chs": "zh-Hans", "cht": "zh-Hant", "pob": "pt-BR", "pb": "pt-BR", "ptbr": "pt-BR", "deutsch": "de",
        "français": "fr",
        "francais": "fr", "español": "es", "espanol": "es", "italiano": "it", "português": "pt", "portugues": "pt",
        "nederlands": "nl", "polski": "pl", "русский": "ru", "українська": "uk", "svenska": "sv", "norsk": "no",
        "dansk": "da", "suomi": "fi", "čeština": "cs", "magyar": "hu", "română": "ro", "türkçe": "tr", "ελληνικά": "el",
        "日本語": "ja", "中文": "zh", "简体": "zh-Hans", "简体中文": "zh-Hans", "繁體": "zh-Hant", "繁體中文": "zh-Hant",
        "한국어": "ko", "العربية": "ar", "עברית": "he", "हिन्दी": "hi", "ไทย": "th",
    ]
}
