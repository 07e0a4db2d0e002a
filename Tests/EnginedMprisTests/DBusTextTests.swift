// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct DBusTextTests {
    @Test(
        "Only characters that the bus rejects are replaced",
        arguments: [
            (0, false), (0xA, true), (0x41, true), (0xFDCF, true), (0xFDD0, false), (0xFDEF, false), (0xFDF0, true),
            (0xFFFD, true), (0xFFFE, false), (0x1F3AC, true), (0x1FFFF, false), (0x10FFFF, false),
        ] as [(UInt32, Bool)]
    )
    func mending(value: UInt32, isTaken: Bool) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect("é\(scalar)z".dbusText == "é\(isTaken ? scalar : "\u{FFFD}")z")
    }

    @Test(
        "Every value has its D-Bus signature",
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
