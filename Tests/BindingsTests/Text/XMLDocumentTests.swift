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
        let attributes = ["color": "<red>", "lang": "de"]
        let found = try Self.events(text)
        #expect(found.first == .start("tt", attributes: attributes) && found.last == .end)
        let words = found.compactMap { event in if case .text(let text) = event { text } else { nil } }
        #expect(words.joined() == "x&<y> \u{E9}")
        #expect(
            found.filter { $0 == .start("br", attributes: [:]) }.count == 1 && found.filter { $0 == .end }.count == 2
        )
    }

    @Test("The encoding is the one that the document declares, unless the bytes are known to be UTF-8")
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
        "A document that is not well-formed fails with the number of the line",
        arguments: ["", "text", "<a>", "<a></b>", "<a b></a>", "<a>\n<b>\n</a>", "<a>&unknown;</a>", "\0", "<a/><b/>"]
    )
    func faults(_ text: String) {
        switch #expect(throws: XMLDocument.Failure.self, performing: { try Self.events(text) }) {
        case .malformed(let line, let message): #expect(!message.isEmpty && (line == 3 || !text.contains("\n")))
        case let failure: #expect(failure == .size(0) && text.isEmpty)
        }
    }

    @Test(
        "Declarations of entities and attributes are refused",
        arguments: [
            "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>", "<!DOCTYPE a [<!ENTITY e \"x\">]><a b=\"&e;\"/>",
            "<!DOCTYPE a [<!ENTITY f SYSTEM \"/etc/passwd\">]><a>&f;</a>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA \"x\">]><a/>",
        ]
    )
    func declarations(_ text: String) {
        #expect(throws: XMLDocument.Failure.declarations(line: 1)) { try Self.events(text) }
    }

    @Test("A document type without declarations is accepted, and not loaded")
    func documentType() throws {
        let found = try Self.events("<!DOCTYPE tt PUBLIC \"x\" \"/etc/passwd\"><tt/>")
        #expect(found == [.start("tt", attributes: [:]), .end])
    }
}
