// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@Suite("Charsets", .timeLimit(.minutes(10)))
struct CharsetTests {
    private struct Unknown: Error { let charset: String }

    private func text(_ bytes: [UInt8], _ charset: String) throws -> (String, Int) {
        guard var converter = CharsetConverter(charset) else { throw Unknown(charset: charset) }
        let converted = converter.utf8(bytes, limit: 1 << 20)
        let result = try #require(converted)
        return (String(decoding: result.text, as: UTF8.self), result.replacements)
    }

    @Test("Text in charsets of the C library is converted")
    func known() throws {
        #expect(try text([0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2], "windows-1251") == ("Привет", 0))
        #expect(try text([0x82, 0xB1], "SHIFT_JIS") == ("こ", 0))
        #expect(try text([0x60, 0x4F, 0x7D, 0x59], "UTF-16LE") == ("你好", 0))
    }

    @Test("Invalid characters are replaced, and conversion continues after them")
    func replaced() throws {
        #expect(try text([0x41, 0xFF, 0x42, 0xD0], "UTF-8") == ("A\u{FFFD}B\u{FFFD}", 2))
        #expect(try text([0x41, 0, 0x00, 0xDC, 0x42, 0], "UTF-16LE") == ("A\u{FFFD}B", 1))
        #expect(try text([0x41, 0, 0x42], "UTF-16LE") == ("A\u{FFFD}", 1))
        // A surrogate, which UTF-32 does not allow.
        #expect(try text([0x41, 0, 0, 0, 0x00, 0xD8, 0, 0, 0x42, 0, 0, 0], "UTF-32LE") == ("A\u{FFFD}B", 1))
    }

    @Test("Long texts are converted in pieces, up to the limit")
    func long() throws {
        let bytes = [UInt8](repeating: 0xE9, count: 300_000)
        guard var converter = CharsetConverter("ISO-8859-1") else { throw Unknown(charset: "ISO-8859-1") }
        let (whole, short) = (converter.utf8(bytes, limit: 1 << 20), converter.utf8(bytes, limit: 599_999))
        #expect(whole?.text.count == 600_000)
        #expect(short == nil)
    }

    @Test(
        "Invalid charset names are rejected",
        arguments: ["", "klingon", "UTF-8//IGNORE", "a b", String(repeating: "A", count: 65)]
    )
    func unknown(_ name: String) {
        if CharsetConverter(name) != nil { Issue.record("\(name) is known") }
    }

    @Test("Legacy charsets are detected")
    func detected() {
        let russian: [UInt8] = [
            0xC7, 0xE4, 0xF0, 0xE0, 0xE2, 0xF1, 0xF2, 0xE2, 0xF3, 0xE9, 0xF2, 0xE5, 0x2C, 0x20, 0xEA, 0xE0, 0xEA, 0x20,
            0xEF,
            0xEE, 0xE6, 0xE8, 0xE2, 0xE0, 0xE5, 0xF2, 0xE5, 0x3F, 0x20, 0xDF, 0x20, 0xED, 0xE5, 0x20, 0xE7, 0xED, 0xE0,
            0xFE,
        ]
        #expect(CharsetDetector.guess(russian) == "WINDOWS-1251")
        #expect(CharsetDetector.guess([]) == nil)
    }
}
