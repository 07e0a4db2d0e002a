// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@Suite("The fields of a script's events", .timeLimit(.minutes(10)))
struct ScriptFieldsTests {
    private func ordered(_ text: String) -> String {
        String(decoding: ScriptFields.ordered(Array(text.utf8)), as: UTF8.self)
    }

    @Test("Other orders become the usual one; missing fields get defaults")
    func reordered() throws {
        let script = "[Events]\r\nFormat: Start, End, Text\r\nDialogue: 0:00:01.00,0:00:02.00,a, b\r\nComment: x\r\n"
        let result = ordered(script).utf8.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        try #require(result.count == 4)
        #expect(result[1] == "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text")
        #expect(result[2] == "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,a, b\r")
        #expect(result[3] == "Comment: x\r")
    }

    @Test(
        "Fields that are in order, or cannot be reordered, stay unchanged",
        arguments: [
            "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,1,2\n",
            "[Events]\nFormat: Marked, Start, End, Style, Actor, MarginL, MarginR, MarginV, Effect, Text\nDialogue: x\n",
            "[Events]\nFormat: Text, Start, End\nDialogue: a,1,2\n", "[Events]\nFormat:\nDialogue: a\n",
            "[V4+ Styles]\nFormat: Start, End, Text\n", "", "\n\n[", "Dialogue: a",
        ]
    )
    func kept(_ script: String) { #expect(ordered(script) == script) }
}
