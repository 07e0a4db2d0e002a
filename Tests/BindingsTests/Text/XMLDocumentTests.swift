// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings

@Suite("XML")
struct XMLDocumentTests {
    private static func events(_ text: String) throws(XMLDocument.Failure) -> [XMLEvent] {
        var events: [XMLEvent] = []
        try XMLDocument.read(Array(text.utf8)) { events.append($0) }
        return events
    }

    @Test("Elements, attributes and text come in order, without prefixes")
    func order() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment -->
            <a:tt xmlns:a="urn:x" xmlns:s="urn:y" s:color="&lt;red&gt;" lang="de">x<br/>&amp;<![CDATA[<y>]]> \u{E9}</a:tt>
            """
        let attributes = ["a": "urn:x", "s": "urn:y", "color": "<red>", "lang": "de"]
        let found = try Self.events(text)
        #expect(found.first == .start("tt", attributes: attributes) && found.last == .end)
        let words = found.compactMap { event in if case .text(let text) = event { text } else { nil } }
        #expect(words.joined() == "x&<y> \u{E9}")
        #expect(
            found.filter { $0 == .start("br", attributes: [:]) }.count == 1 && found.filter { $0 == .end }.count == 2
        )
    }

    @Test("Encodings are those that the document declares")
    func encoding() throws {
        var events: [XMLEvent] = []
        let bytes = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        try XMLDocument.read(bytes) { events.append($0) }
        #expect(events == [.start("a", attributes: [:]), .text("\u{E9}"), .end])
        events = []
        let converted = Array("<?xml version='1.0' encoding='UTF-16'?><a>\u{E9}</a>".utf8)
        try XMLDocument.read(converted, isUTF8: true) { events.append($0) }
        #expect(events == [.start("a", attributes: [:]), .text("\u{E9}"), .end])
    }

    @Test(
        "Whatever is not well-formed fails, with the line",
        arguments: ["", "text", "<a>", "<a></b>", "<a b></a>", "<a>\n<b>\n</a>", "<a>&unknown;</a>", "\0", "<a/><b/>"]
    )
    func faults(_ text: String) {
        let failure = #expect(throws: XMLDocument.Failure.self) { try Self.events(text) }
        #expect(failure?.message.isEmpty == false)
        if text.contains("\n") { #expect(failure?.line == 3) }
    }

    @Test("Entities are not expanded, and no other file is read")
    func entities() throws {
        let bomb = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        let text = "<!DOCTYPE a [<!ENTITY e0 \"x\">\(bomb)<!ENTITY f SYSTEM \"/etc/passwd\">]><a>1&e9;2&f;3</a>"
        var events: [XMLEvent] = []
        do throws(XMLDocument.Failure) { events = try Self.events(text) } catch { return }
        let words = events.compactMap { event in if case .text(let text) = event { text } else { nil } }
        #expect(words.joined() == "123")
    }
}
