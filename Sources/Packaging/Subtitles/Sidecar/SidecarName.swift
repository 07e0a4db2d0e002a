// SPDX-License-Identifier: Apache-2.0

/// What the name of a file of subtitles says of it: `film.en.srt`, `film.pt-BR.forced.ass`, `film.eng.sdh.vtt`. Pure.
package struct SidecarName: Hashable, Sendable {
    /// As the name has it. Empty when it says none.
    package private(set) var language = ""
    /// `forced`, `hearing_impaired`, `comment`, `default`.
    package private(set) var dispositions: [String] = []
    /// In lower case. Empty when there is none.
    package private(set) var fileExtension = ""

    private static let flags = [
        "forced": "forced", "foreign": "forced", "sdh": "hearing_impaired", "cc": "hearing_impaired",
        "commentary": "comment", "default": "default",
    ]

    /// - Parameters:
    ///   - name: the last component of a path.
    ///   - film: that of the film it is for, where that is known: what both have in common says nothing of a language.
    package init(_ name: String, film: String? = nil) {
        var words = name.prefix(1024).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if words.count > 1 { fileExtension = words.removeLast().lowercased() }
        // Whatever else it is called, the first word is a title.
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
                // Hindi stands alone; behind another language it is short for hearing impaired.
                dispositions.append("hearing_impaired")
            } else {
                if Self.isLanguage(word) { language = word }
                break
            }
        }
        dispositions.reverse()
    }

    /// A code that is in the table, a tag that begins with one, or an English name.
    private static func isLanguage(_ word: String) -> Bool {
        guard LanguageCode.parts(of: word) != nil else { return false }
        return word.utf8.count > 3 || LanguageCode.englishName(word) != nil
    }
}
