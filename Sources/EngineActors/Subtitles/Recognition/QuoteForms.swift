// SPDX-License-Identifier: Apache-2.0

/// The forms of the apostrophes and quotation marks of a track.
///
/// Such marks have so few pixels that tesseract often cannot tell straight from curved ones, and mixes the forms. A
/// track is assumed to use one form throughout: that of most of its marks.
struct QuoteForms {
    private static let quotationMarks: Set<Character> = ["“", "”", "„"]
    private static let apostrophes: Set<Character> = ["’", "‘"]

    private let hasStraightQuotationMarks: Bool
    private let hasStraightApostrophes: Bool

    init(of texts: some Sequence<String>) {
        var (straight, curved) = ((marks: 0, apostrophes: 0), (marks: 0, apostrophes: 0))
        for character in texts.joined() {
            if character == "\"" { straight.marks += 1 }
            if character == "'" { straight.apostrophes += 1 }
            if Self.quotationMarks.contains(character) { curved.marks += 1 }
            if Self.apostrophes.contains(character) { curved.apostrophes += 1 }
        }
        hasStraightQuotationMarks = straight.marks > 0 && straight.marks >= curved.marks
        hasStraightApostrophes = straight.apostrophes >= curved.apostrophes
    }

    /// The text with all its marks in these forms. Straight quotation marks always stay straight, because they do not
    /// show which ones open a quotation.
    func applied(to text: String) -> String {
        String(
            text.map { character in
                if hasStraightQuotationMarks, Self.quotationMarks.contains(character) { return "\"" }
                if hasStraightApostrophes, Self.apostrophes.contains(character) { return "'" }
                return character == "'" && !hasStraightApostrophes ? "’" : character
            }
        )
    }
}
