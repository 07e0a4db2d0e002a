// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Subtitles

@Suite("Corrections of recognized text")
struct RecognizedTextTests {
    @Test("Lines lose their margins, empty lines are left out, and a vertical bar is a capital I")
    func lines() {
        for data in ["eng", "fra"] {
            #expect(RecognizedText.corrected("  | am here. \n\n \n It  | s \n", data) == "I am here.\nIt I s")
            #expect(RecognizedText.corrected("\n \n", data) == "")
            #expect(RecognizedText.corrected("", data) == "")
        }
    }

    @Test(
        "In English, the pronoun and contractions are spelled with I and ll",
        arguments: [
            ("l've been. i have. \"l will,\"", "I've been. I have. \"I will,\""),
            ("'m, 1'd, !'m. - T'll, V'Il (l'll", "I'm, I'd, I'm. - I'll, I'll (I'll"),
            ("we'Il -- you'1l; they'l!", "we'll -- you'll; they'll"), ("…i’m sure", "…I’m sure"),
        ]
    )
    func english(found: String, wanted: String) { #expect(RecognizedText.corrected(found, "eng") == wanted) }

    @Test(
        "Correct text is not changed",
        arguments: [
            "I'll fill it, Bill. It's 11:30!", "1 apple, 11 o'clock. Ill", "She'd said 'twas Tom's '80s hit.",
            "ill-lit vie",
        ]
    )
    func right(text: String) { #expect(RecognizedText.corrected(text, "eng") == text) }

    @Test("Other languages keep their articles and letters")
    func otherLanguages() {
        for text in ["l'homme qu'il a vu", "l ve", "i kto l'm"] {
            #expect(RecognizedText.corrected(text, "fra") == text)
        }
    }
}

@Suite("Forms of quotation marks")
struct QuoteFormsTests {
    private func applied(_ texts: [String]) -> [String] {
        let forms = QuoteForms(of: texts)
        return texts.map(forms.applied)
    }

    @Test("The more frequent form is used for all, straight in a tie; straight quotation marks always stay")
    func majority() {
        #expect(applied(["\"a\" “b\" it's", "don’t won't"]) == ["\"a\" \"b\" it's", "don't won't"])
        #expect(applied(["“a” \"b”", "it’s don’t won't"]) == ["“a” \"b”", "it’s don’t won’t"])
        #expect(applied(["\"a”", "it’s won't"]) == ["\"a\"", "it's won't"])
    }

    @Test("Marks that all have one form are not changed")
    func uniform() {
        for texts in [["“a” it’s"], ["„a“ ‘b’"], ["\"a\" it's"], ["nothing"], []] {
            #expect(applied(texts) == texts)
        }
    }
}
