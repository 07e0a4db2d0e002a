// SPDX-License-Identifier: Apache-2.0

/// Properties in the name of a subtitle file: `film.en.srt`, `film.pt-BR.forced.ass`, `film.eng.sdh.vtt`. Pure.
package struct SidecarName: Hashable, Sendable {
    /// As spelled in the name. Empty if there is none.
    package private(set) var language = ""
    /// `forced`, `hearing_impaired`, `comment`, `default`.
    package private(set) var dispositions: [String] = []
    /// In lower case. Empty if there is none.
    package private(set) var fileExtension = ""

    private static let flags = [
        "forced": "forced", "foreign": "forced", "sdh": "hearing_impaired", "cc": "hearing_impaired",
        "commentary": "comment", "default": "default",
    ]

    /// - Parameters:
    ///   - name: the last component of a path.
    ///   - film: the name of the source file, if known. A prefix that both names share is not searched for a language.
    package init(_ name: String, film: String? = nil) {
        var words = name.prefix(1024).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if words.count > 1 { fileExtension = words.removeLast().lowercased() }
        // The first word is always part of the title.
        var title = 1
        if let film {
            let stem = film.prefix(1024).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                .dropLast()
            if !stem.isEmpty, words.starts(with: stem) { title = stem.count }
        }
        while words.count > title, let word = words.popLast() {
            let lowercased = word.lowercased()
            if let flag = Self.flags[lowercased] {
                dispositions.append(flag)
            } else if lowercased == "hi", let last = words.last, words.count > title, Self.isLanguage(last) {
                // By itself, `hi` is Hindi; after another language it is short for hearing impaired.
                dispositions.append("hearing_impaired")
            } else {
                if Self.isLanguage(word) { language = word }
                break
            }
        }
        dispositions.reverse()
    }

    /// A code in the table, a tag that starts with one, or an English name.
    private static func isLanguage(_ word: String) -> Bool {
        guard LanguageCode.parts(of: word) != nil else { return false }
        return word.utf8.count > 3 || LanguageCode.englishName(word) != nil
    }
}
