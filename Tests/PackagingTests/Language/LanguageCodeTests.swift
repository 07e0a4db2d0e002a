// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@Suite struct LanguageCodeTests {
    @Test(
        "A language is written as ISO 639-2/T in the track and as BCP 47 in the playlist",
        arguments: [
            ("eng", "eng", "en"), ("en", "eng", "en"), ("ger", "deu", "de"), ("deu", "deu", "de"), ("chi", "zho", "zh"),
            ("pt-BR", "por", "pt-BR"), ("en_US", "eng", "en-US"), ("FRE", "fra", "fr"), ("haw", "haw", "haw"),
        ]
    )
    func known(_ source: String, _ terminology: String, _ tag: String) {
        #expect(LanguageCode.terminology(source) == terminology)
        #expect(LanguageCode.tag(source) == tag)
    }

    @Test(
        "A withdrawn code means its replacement, and every language has an English name",
        arguments: [
            ("iw", "heb", "Hebrew"), ("in", "ind", "Indonesian"), ("cmn", "zho", "Chinese"), ("fil", "tgl", "Tagalog"),
            ("scr", "hrv", "Croatian"), ("el", "ell", "Greek"), ("es-419", "spa", "Spanish"),
            ("gd", "gla", "Scottish Gaelic"), ("yue", "yue", "Cantonese"),
        ]
    )
    func names(_ source: String, _ terminology: String, _ name: String) {
        #expect(LanguageCode.terminology(source) == terminology)
        #expect(LanguageCode.englishName(source) == name)
    }

    @Test(
        "An unknown language is und in the track and absent from the playlist",
        arguments: ["", "und", "English!", "e\"n", "x"]
    )
    func unknown(_ source: String) {
        #expect(LanguageCode.terminology(source) == "und")
        #expect(LanguageCode.tag(source) == nil)
    }
}
