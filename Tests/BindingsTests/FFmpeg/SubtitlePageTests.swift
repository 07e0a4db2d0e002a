// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings

@Suite("Descriptors of subtitle pages")
struct SubtitlePageTests {
    @Test("The pages of a subtitle stream are read from its descriptor")
    func pages() {
        let teletext = SubtitlePage.pages(
            teletext: [0x10, 0x88, 0x09, 0, 0x2A, 0x01, 0x17, 0x9A],
            languages: "deu,,fra"
        )
        #expect(teletext.map(\.number) == [888, 201])
        #expect(teletext.map(\.language) == ["deu", "fra"] && teletext.map(\.isForHearingImpaired) == [false, true])
        let dvb = SubtitlePage.pages(subtitling: [0, 5, 0, 9, 0x10, 1, 6, 0, 9, 0x20], languages: "eng")
        #expect(dvb.map(\.number) == [5, 262] && dvb.map(\.language) == ["eng", ""])
        #expect(SubtitlePage.pages(subtitling: [0, 5, 0, 9], languages: "eng").isEmpty)
        #expect(SubtitlePage.pages(teletext: [0x10], languages: "").isEmpty)
    }
}
