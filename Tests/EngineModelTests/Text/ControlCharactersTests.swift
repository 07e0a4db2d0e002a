// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite struct ControlCharactersTests {
    @Test(
        "Control characters are escaped, and other text is unchanged",
        arguments: [
            ("a\tb\u{7f}", "a\\tb\\u{7F}"), ("\u{85}\u{9b}0m", "\\u{0085}\\u{009B}0m"),
            ("\u{2028}\u{202e}fdp.exe", "\\u{2028}\\u{202E}fdp.exe"),
            ("Müller \\ 日本 \"quoted\" 🎬", "Müller \\ 日本 \"quoted\" 🎬"),
            ("", ""),
        ]
    )
    func escaping(text: String, expected: String) {
        #expect(ControlCharacters.escaped(text) == expected)
    }

    @Test("line ends and tabs may be kept")
    func keeping() {
        #expect(ControlCharacters.escaped("a\tb\nc\u{1B}[2J\r", keeping: ["\n", "\t"]) == "a\tb\nc\\u{1B}[2J\\r")
    }
}
