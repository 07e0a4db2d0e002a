// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@Suite("Texts of broadcast tables", .timeLimit(.minutes(10)))
struct CodedTextTests {
    @Test(
        "A text is converted from its charset, without control codes",
        arguments: [
            // ISO 6937: an accent comes before its letter, and A4 is the euro sign.
            ("ISO6937", [0x47, 0x72, 0xC8, 0x6F, 0xFB, 0x65, 0x20, 0xA4, 0x35, 0xA4], "Größe €5€"),
            ("ISO-8859-5", [0xBD, 0xDE, 0xD2, 0xDE, 0xE1, 0xE2, 0xD8], "Новости"), ("ISO-8859-9", [0xDD], "İ"),
            ("UTF-16BE", [0, 0x41, 0xE0, 0x8A, 0, 0x42, 0xE0, 0x86], "A\nB"), ("EUC-KR", [0xB0, 0xA1], "가"),
            ("EUC-CN", [0xB0, 0xA1], "啊"), ("UTF-8", [0x41, 0x1B, 0xC2, 0x8A, 0xC2, 0x86, 0xE2, 0x82, 0xAC], "A\n€"),
            ("UTF-8", [], ""), ("klingon", [0x41], ""), ("UTF-8", [0x41, 0xFF], "A\u{FFFD}"),
        ] as [(String, [UInt8], String)]
    )
    func converted(charset: String, bytes: [UInt8], text: String) {
        #expect(CodedText(charset: charset, bytes: bytes).string == text)
    }
}
