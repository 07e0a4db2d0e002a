// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Blocks of WebVTT files")
struct WebVTTBlocksTests {
    private static func kept(_ text: String) -> String {
        String(decoding: WebVTTBlocks.withCuesOnly(Array(text.utf8)), as: UTF8.self)
    }

    @Test("the header and the cues stay as they are, with or without identifiers", arguments: ["\n", "\r\n", "\r"])
    func blocks(end: String) {
        let head = "\u{FEFF}WEBVTT - a title\nX-TIMESTAMP-MAP=LOCAL:00:00.000,MPEGTS:0\n\n"
        let first = "1\n00:01.000 --> 00:02.000 align:start\nOne\ntwo\n\n"
        let last = "00:03.000 --> 00:04.000\nThree"
        let others =
            "STYLE\n::cue { color: red }\n\nNOTE aside\n\n\nREGION\nid:fred\n\nSomething\nelse\nfar --> away\n\n"
        func text(_ blocks: String...) -> String {
            blocks.joined(separator: "").split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end)
        }
        #expect(Self.kept(text(head, others, first, others, last)) == text(head, first, last))
        #expect(Self.kept(text(head, first, last)) == text(head, first, last))
    }

    @Test("blank lines before the header and between cues do no harm; a file may end anywhere")
    func edges() {
        #expect(Self.kept("\n\nWEBVTT\n\nNOTE x") == "\n\nWEBVTT\n\n")
        let cue = "00:01.000 --> 00:02.000\nOne\n\n"
        #expect(Self.kept("WEBVTT\n\n\n\n\(cue)\n\n").hasSuffix(cue))
        for text in ["", "\n", "\r", "W", "WEBVTT", "WEBVTT\r", "-->"] { #expect(Self.kept(text) == text) }
    }
}
