// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(1)))
struct DBusTextTests {
    @Test(
        "Only what the bus refuses is replaced",
        arguments: [
            ("", ""), ("Größe 🎬\n", "Größe 🎬\n"), ("a\0b", "a\u{FFFD}b"), ("\u{FFFE}\u{1FFFF}", "\u{FFFD}\u{FFFD}"),
            ("\u{FDD0}\u{FDEF}\u{FDF0}", "\u{FFFD}\u{FFFD}\u{FDF0}"),
        ]
    )
    func mending(text: String, expected: String) {
        #expect(text.dbusText == expected)
    }

    @Test(
        "Every value knows its signature",
        arguments: [
            (DBusValue.boolean(true), "b"), (.int32(1), "i"), (.int64(1), "x"), (.double(1), "d"), (.string(""), "s"),
            (.objectPath("/"), "o"), (.strings([]), "as"), (.dictionary([:]), "a{sv}"), (.variant(.int64(1)), "v"),
        ]
    )
    func signatures(value: DBusValue, signature: String) {
        #expect(value.signature == signature)
        #expect(DBusValue.variant(value).content == value)
    }
}
