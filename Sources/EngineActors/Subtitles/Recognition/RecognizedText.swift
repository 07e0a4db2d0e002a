// SPDX-License-Identifier: Apache-2.0

/// Corrects characters that tesseract often confuses, where the spelling shows which one is right.
enum RecognizedText {
    /// The text without margins and empty lines. A vertical bar becomes a capital I, because dialogue has no vertical
    /// bars.
    ///
    /// - Parameter data: the name of tesseract's data for the language.
    static func corrected(_ text: String, _ data: String) -> String {
        text.split(whereSeparator: \.isNewline).map { line in
            let words = line.split(whereSeparator: \.isWhitespace).map { word in
                let word = word.map { $0 == "|" ? "I" : $0 }
                return data == "eng" ? english(word) : String(word)
            }
            return words.joined(separator: " ")
        }.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    // MARK: English

    private static let apostrophes: Set<Character> = ["'", "’"]
    /// Characters that may precede a word.
    private static let openings: Set<Character> = ["\"", "“", "„", "(", "[", "-", "–", "—", "…", ".", "♪"]
    /// What a capital I looks like, upright or in italics.
    private static let likeCapital: Set<Character> = ["i", "l", "1", "!", "t", "T", "V", "/"]
    /// What a small L looks like.
    private static let likeSmall: Set<Character> = ["I", "l", "1", "!"]

    /// Corrects the pronoun I, which is often mistaken because it is a mere stroke, and contractions with *will*.
    private static func english(_ word: [Character]) -> String {
        let opening = word.prefix(while: openings.contains)
        let rest = word.dropFirst(opening.count)
        guard let apostrophe = rest.firstIndex(where: apostrophes.contains) else {
            let letters = rest.prefix(while: \.isLetter)
            let isPronoun = letters == ["i"] || letters == ["l"]
            return String(opening) + (isPronoun ? "I" : String(letters)) + String(rest.dropFirst(letters.count))
        }
        let stem = rest[..<apostrophe]
        var end = Array(rest[(apostrophe + 1)...])
        let strokes = end.prefix { $0.isLetter || likeSmall.contains($0) }
        if strokes.count == 2, strokes.allSatisfy(likeSmall.contains) { end.replaceSubrange(..<2, with: "ll") }
        let isStroke = stem.count == 1 && stem.allSatisfy(likeCapital.contains)
        let isPronoun =
            switch String(end.prefix(while: \.isLetter)) {
            case "m", "ve", "ll": isStroke || stem.isEmpty
            case "d": isStroke
            default: false
            }
        return String(opening) + (isPronoun ? "I" : String(stem)) + String(rest[apostrophe]) + String(end)
    }
}
