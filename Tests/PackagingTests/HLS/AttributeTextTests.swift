// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Texts of attributes")
struct AttributeTextTests {
    @Test("a quoted string has no quotes and no control characters, and is as long as the text")
    func quoted() {
        let long = String(repeating: "/segment", count: 100)
        #expect(AttributeText.quotable(long) == long)
        #expect(AttributeText.quotable("a \"b\"\r\nc\u{2028}d") == "a 'b'  c d")
    }

    @Test("a name has at most 200 characters")
    func name() {
        #expect(AttributeText.name(String(repeating: "é", count: 300)) == String(repeating: "é", count: 200))
        #expect(AttributeText.name("\"x\"") == "'x'")
    }
}
