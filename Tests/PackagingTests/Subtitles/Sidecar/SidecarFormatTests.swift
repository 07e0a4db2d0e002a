// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@Suite("Formats of subtitle files", .timeLimit(.minutes(10)))
struct SidecarFormatTests {
    @Test(
        "Text formats are detected from their lines",
        arguments: [
            ("1\r\n00:00:01,000 --> 00:00:02,000\r\nOne\r\n", SidecarFormat.subRip),
            ("00:00:01.000 --> 00:00:02.000\nno number\n", .subRip),
            ("\u{FEFF}\n\n1\n0:0:1,0-->0:0:2,0\nOne", .subRip),
            ("WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n", .webVTT),
            ("00:01.000 --> 00:02.000\nno head\n", .webVTT),
            ("[Script Info]\r\n[Events]\r\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,x", .ass),
            ("; comment\nDialogue: Marked=0,0:00:01.00,0:00:02.00,,,0,0,0,,00:00:01,000 --> 00:00:02,000", .ass),
            ("{1}{25}One|Two\n", .microDVD), ("{1}{}open\n", .microDVD),
            ("[INFORMATION]\n00:00:01.00,00:00:02.00\nOne\n", .subViewer),
            ("# VobSub index file, v7\nsize: 720x576\n", .vobSub),
            ("<?xml version=\"1.0\"?>\n<!-- <html> -->\n<tt xmlns=\"http://www.w3.org/ns/ttml\">", .ttml),
            ("\u{FEFF}<tt:tt xmlns:tt=\"http://www.w3.org/ns/ttml\"><tt:body>", .ttml), ("<tt>", .ttml),
        ]
    )
    func text(_ text: String, format: SidecarFormat) throws {
        #expect(try SidecarFormat.ofText(Array(text.utf8), fileExtension: "txt") == format)
    }

    @Test(
        "Files that are not subtitles are rejected with a reason",
        arguments: [
            ("", SidecarFormat.Refusal.empty), ("\u{FEFF} \r\n\t\n", .empty),
            ("  <!DOCTYPE html>\n00:00:01,000 --> 00:00:02,000", .html), ("<HTML>", .html),
            ("Dear diary", .unknown), ("1\n00:00:01 --> 00:00:02\n", .unknown), ("{a}{b}", .unknown),
            ("--> -->\n:::\n", .unknown), ("<?xml version=\"1.0\"?><ttx/>", .html), ("<a:b/><tt>", .unknown),
            ("<", .unknown),
        ]
    )
    func refusals(_ text: String, refusal: SidecarFormat.Refusal) {
        #expect(throws: refusal) { try SidecarFormat.ofText(Array(text.utf8), fileExtension: "srt") }
    }

    @Test("Image formats are detected from their first bytes")
    func binary() throws {
        let segment: [UInt8] = [0x50, 0x47, 0, 0, 0, 1, 0, 0, 0, 0, 0x16, 0, 0x13, 0]
        #expect(try SidecarFormat.ofBinary(segment) == .pgs)
        #expect(try SidecarFormat.ofBinary(Array("PG-13, 1,2 --> 3".utf8)) == nil)
        #expect(throws: SidecarFormat.Refusal.vobSubWithoutIndex) { try SidecarFormat.ofBinary([0, 0, 1, 0xBA, 0x44]) }
        #expect(throws: SidecarFormat.Refusal.empty) { try SidecarFormat.ofBinary([]) }
        #expect(throws: SidecarFormat.Refusal.compressed("gzip")) { try SidecarFormat.ofBinary([0x1F, 0x8B, 8, 0]) }
        #expect(throws: SidecarFormat.Refusal.compressed("zip")) { try SidecarFormat.ofBinary([0x50, 0x4B, 3, 4, 20]) }
    }
}

@Suite("Properties in the names of subtitle files", .timeLimit(.minutes(10)))
struct SidecarNameTests {
    @Test(
        "Language and kind precede the extension",
        arguments: [
            ("film.en.srt", "en", []), ("film.eng.forced.srt", "en", ["forced"]),
            ("Film.pt-BR.SDH.ass", "pt-BR", ["hearing_impaired"]),
            ("film.forced.en.srt", "en", ["forced"]), ("film.en.hi.srt", "en", ["hearing_impaired"]),
            ("film.en.hi.sdh.srt", "en", ["hearing_impaired"]), ("film.en.sdh.hi.srt", "en", ["hearing_impaired"]),
            ("film.hi.srt", "hi", []),
            ("film.default.cc.German.vtt", "de", ["default", "hearing_impaired"]), ("film.English.srt", "en", []),
            ("film.zh-hant-tw.srt", "zh-Hant-TW", []), ("film.chi.srt", "zh", []), ("film.haw.srt", "", []),
            ("film.It.de.srt", "de", []), ("film.en-cc.srt", "", []), ("film.en-xyz.srt", "", []),
            ("film.German.default.cc.vtt", "de", ["default", "hearing_impaired"]),
            ("film.srt", "", []), ("en.srt", "", []), ("srt", "", []), ("film.x264.srt", "", []),
            ("film.abc.srt", "", []),
            ("...", "", []), ("", "", []),
        ] as [(String, String, [String])]
    )
    func words(_ name: String, language: String, dispositions: [String]) {
        let name = SidecarName(name)
        #expect(name.language == language)
        #expect(name.dispositions == dispositions)
    }

    @Test("The part shared with the source file's name is ignored")
    func film() {
        #expect(SidecarName("Say.It.srt", source: "Say.It.mkv").language.isEmpty)
        #expect(SidecarName("Say.It.de.srt", source: "Say.It.mkv").language == "de")
        #expect(SidecarName("other.de.srt", source: "Say.It.mkv").language == "de")
        #expect(SidecarName("a.b.SRT").fileExtension == "srt")
    }

    @Test(
        "After the name of the film, words are separated in many ways",
        arguments: [
            ("film - English (SDH).srt", "en", ["hearing_impaired"], ""),
            ("film_pt_BR_forced.srt", "pt-BR", ["forced"], ""),
            ("film.en-cc.srt", "en", ["hearing_impaired"], ""), ("film.hi.en.srt", "en", ["hearing_impaired"], ""),
            ("film.Spanish.Latin.American.srt", "es-419", [], "Latin American"),
            ("Latin American Spanish.srt", "es-419", [], "Latin American"),
            ("film.Latin.English.srt", "en", [], "Latin"),
            ("film.Portuguese (Brazil).srt", "pt-BR", [], "Brazil"),
            ("3_Brazilian Portuguese.srt", "pt-BR", [], "Brazilian"), ("film.Portuguese.srt", "pt", [], ""),
            ("film.pt-PT.Brazilian.srt", "pt-PT", [], "Brazilian"),
            ("film.Chinese (Simplified).srt", "zh-Hans", [], "Simplified"),
            ("Traditional Chinese.srt", "zh-Hant", [], "Traditional"), ("film.Chinese.srt", "zh", [], ""),
            ("film_track3_[eng].srt", "en", [], ""), ("German.forced.srt", "de", ["forced"], ""),
            ("film.chs&eng.ass", "zh-Hans", [], ""), ("film.Français.srt", "fr", [], ""),
            ("film.commentary.srt", "", ["comment"], ""),
            ("film.en-orig.vtt", "en", [], "orig"), ("film.en.auto.srt", "en", [], "auto"),
            ("film.yue.srt", "yue", [], ""), ("film.Cantonese.srt", "yue", [], "Cantonese"),
            ("film.Chinese (Cantonese).srt", "yue", [], "Cantonese"), ("film.pb.srt", "pt-BR", [], ""),
            ("2_English.srt", "en", [], ""), ("forced.de.srt", "de", ["forced"], ""), ("film.srt", "", [], ""),
            ("film.Again.de.srt", "de", [], ""),
        ] as [(String, String, [String], String)]
    )
    func wordsOfFilm(_ name: String, language: String, dispositions: [String], title: String) {
        let name = SidecarName(name, source: "Film.mkv")
        #expect(name.language == language)
        #expect(name.dispositions == dispositions)
        #expect(name.title == title)
    }
}
