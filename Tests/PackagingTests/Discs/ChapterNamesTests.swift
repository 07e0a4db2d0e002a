// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

/// The names of a Blu-ray title's chapters.
struct ChapterNamesTests {
    private static func names(_ text: String) -> [String?] { ChapterNames.names(inLibrary: Array(text.utf8)) }

    @Test
    func namesFollowTheOrderOfMarks() {
        let text = """
            <?xml version="1.0" encoding="utf-8"?><chapters xmlns="urn:BDA:bdmv;chapters">
            <names/><name>One &amp;
             Two</name><name></name><name /><name lang="eng">Épilogue</name></chapters>
            """
        #expect(Self.names(text) == ["One & Two", nil, nil, "Épilogue"])
        #expect(Self.names("<name>outside</name>") == [])
        #expect(Self.names("<chapters><name>One</name><name>cut") == ["One"])
        #expect(Self.names("<chapters><name") == [] && ChapterNames.names(inLibrary: [0xFF, 0xFE, 0]) == [])
        #expect(Self.names("<chapters>" + String(repeating: "<name/>", count: 2000)).count == 999)
    }

    @Test
    func fileBelongsToThePlaylist() {
        func file(_ names: [String]) -> String? { ChapterNames.file(for: "00800.mpls", among: names) }
        #expect(file(["tnmt_fra_00800.xml", "TNMT_ENG_00800.XML", "tnmt_deu_00800.xml"]) == "TNMT_ENG_00800.XML")
        #expect(file(["tnmt_fra_00800.xml", "tnmt_deu_00800.xml"]) == "tnmt_deu_00800.xml")
        #expect(file(["tnmt_eng_00801.xml", "bdmt_eng_00800.xml", "tnmt_eng_00800.txt", "tnmt_00800.xml"]) == nil)
    }
}
