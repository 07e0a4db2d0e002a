// SPDX-License-Identifier: Apache-2.0

/// Properties in the name of a subtitle file: `film.en.srt`, `film.pt-BR.forced.ass`, `film - English (SDH).vtt`. Pure.
package struct SidecarName: Hashable, Sendable {
    /// The language tag (BCP 47). Empty if there is none.
    package private(set) var language = ""
    /// `forced`, `hearing_impaired`, `comment`, `default`, in the order of the name.
    package private(set) var dispositions: [String] = []
    /// Other words about the text, for example `Latin American`.
    package private(set) var title = ""
    /// In lower case. Empty if there is none.
    package private(set) var fileExtension = ""

    /// Longer names are truncated.
    private static let characterLimit = 1024

    /// - Parameters:
    ///   - name: the last component of a path.
    ///   - source: the name of the source file, if known. If `name` begins with it, only the rest of `name` is read.
    package init(_ name: String, source: String? = nil) {
        let (stem, fileExtension) = FileStem.split(String(name.prefix(Self.characterLimit)))
        self.fileExtension = fileExtension.lowercased()
        if let source, let rest = FileStem(ofSource: source).rest(of: stem) {
            read(SidecarWord.words(in: rest), takesAll: true)
        } else if source != nil, let words = SidecarWord.understood(stem, startsWithNumber: true), !words.isEmpty {
            // `2_English.srt`, as in a folder with the subtitles of one source.
            read(words, takesAll: true)
        } else {
            // The first word is part of the title.
            let words = stem.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
            read(words.map { SidecarWord(String($0)) }, takesAll: false)
        }
    }

    /// Reads words from the end, up to the first one without a meaning.
    ///
    /// - Parameter takesAll: whether no word can be part of a title. Otherwise only the last language is used.
    private mutating func read(_ words: [SidecarWord], takesAll: Bool) {
        var variants: [String] = []
        let hasLanguage = words.contains {
            if case .language = $0.meaning { $0.text.lowercased() != "hi" } else { false }
        }
        reading: for word in words.reversed() {
            switch word.meaning {
            case .flag(let flag): if !dispositions.contains(flag) { dispositions.append(flag) }
            case .language where word.text.lowercased() == "hi" && hasLanguage:
                // By itself, `hi` is Hindi; beside another language it is short for hearing impaired.
                if !dispositions.contains("hearing_impaired") { dispositions.append("hearing_impaired") }
            case .language(let tag):
                if !takesAll, !language.isEmpty { break reading }
                language = tag
            case .variant: variants.append(word.text)
            case .number where takesAll: continue
            case .number, nil: break reading
            }
        }
        dispositions.reverse()
        language = SidecarWord.tag(language, variants: variants)
        title = variants.reversed().joined(separator: " ")
    }
}

/// A file name without its extension, and comparisons with names that begin with it. Comparisons ignore case and
/// Unicode normalisation.
package struct FileStem: Hashable, Sendable {
    package let text: String
    private let folded: String

    private static let separators: Set<Character> = [".", " ", "_", "-", "(", "[", "{"]

    private init(_ text: String) {
        self.text = text
        folded = text.lowercased()
    }

    /// - Parameter name: of a source file. A suffix of more than four characters is not an extension.
    package init(ofSource name: String) {
        let (stem, fileExtension) = Self.split(name)
        self.init(fileExtension.utf8.count <= 4 ? stem : name)
    }

    package var length: Int { folded.count }

    /// The part of a name before its last period, and the part after it.
    static func split(_ name: String) -> (stem: String, fileExtension: String) {
        guard let period = name.lastIndex(of: ".") else { return (name, "") }
        return (String(name[..<period]), String(name[name.index(after: period)...]))
    }

    /// The part of a name (without extension) that follows the stem: empty, or beginning with a separator. `nil` if the
    /// name does not begin with the stem.
    func rest(of name: String) -> String? {
        guard !folded.isEmpty, name.lowercased().hasPrefix(folded) else { return nil }
        let rest = name.dropFirst(text.count)
        guard let first = rest.first else { return "" }
        return Self.separators.contains(first) ? String(rest) : nil
    }

    /// Whether a name begins with the stem, spelled in the same case.
    func isExact(in name: String) -> Bool { name.hasPrefix(text) }
    /// Whether `other` begins with this stem.
    func begins(_ other: FileStem) -> Bool { other.folded.hasPrefix(folded) }
    func isSame(as other: FileStem) -> Bool { folded == other.folded }

    /// Whether the file is a sample or a trailer, which is often in the same folder as the source itself.
    var isExtra: Bool {
        ["sample", "trailer"].contains { word in
            folded == word || Self.separators.contains { folded.hasSuffix("\($0)\(word)") }
        }
    }
}
