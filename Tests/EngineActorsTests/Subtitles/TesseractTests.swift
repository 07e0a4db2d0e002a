// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Subtitles

@Suite("Recognition of text")
struct TesseractTests {
    @Test(
        "Language tags are mapped to the names of tesseract's data",
        arguments: [
            ("en", "eng"), ("ger", "deu"), ("deu", "deu"), ("de-AT", "deu"), ("fre", "fra"), ("pt-BR", "por"),
            ("zh", "chi_sim"),
            ("chi", "chi_sim"), ("zh-Hant", "chi_tra"), ("zh-TW", "chi_tra"), ("zh-Hans-TW", "chi_sim"), ("jpn", "jpn"),
        ]
    )
    func languages(language: String, name: String) { #expect(Tesseract.name(of: language) == name) }
}
