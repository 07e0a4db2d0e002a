// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

/// The names that a disc gives itself.
struct DiscLabelTests {
    @Test
    func libraryNamesTheDisc() {
        let text = """
            <?xml version="1.0" encoding="utf-8"?><disclib xmlns:di="urn:BDA:bdmv;discinfo"><di:discinfo><di:title>
            <di:name>Amélie &amp;
             Nino</di:name></di:title></di:discinfo></disclib>
            """
        #expect(DiscLabel.name(inLibrary: Array(text.utf8)) == "Amélie & Nino")
        #expect(DiscLabel.name(inLibrary: Array("<di:name> </di:name>".utf8)) == nil)
        #expect(DiscLabel.name(inLibrary: Array("<di:name>cut".utf8)) == nil)
        #expect(DiscLabel.name(inLibrary: [0xFF, 0xFE, 0]) == nil)
    }

    @Test
    func volumeNamesTheDiscUnlessItHasAUsualName() {
        #expect(DiscLabel.name(ofVolume: "METROPOLIS") == "METROPOLIS")
        #expect(DiscLabel.name(ofVolume: "cdrom") == nil)
        #expect(DiscLabel.name(ofVolume: "") == nil)
    }
}
