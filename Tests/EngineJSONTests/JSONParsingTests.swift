// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable import EngineJSON

@Suite("JSON texts")
struct JSONParsingTests {
    @Test(
        "are parsed as values",
        arguments: [
            ("null", JSON.null), (" true ", .bool(true)), ("-12", .whole(-12)), ("1.5e3", .number(1500)),
            ("9223372036854775807", .whole(.max)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            (#""a\"\\\/\n\u00e9\ud83d\ude00""#, .string("a\"\\/\né😀")), ("[]", .array([])), ("{}", .object([])),
            (#"{"a":[1,{"b":null}]}"#, .object(("a", .array([.whole(1), .object(("b", .null))])))),
        ]
    )
    func values(text: String, expected: JSON) throws { #expect(try JSON(parsing: Array(text.utf8)) == expected) }

    @Test(
        "that are invalid are rejected with the offset of the error",
        arguments: [
            ("", 0), ("{", 1), ("[1,]", 3), ("01", 1), ("1.", 2), ("nul", 0), ("\"a", 2), ("{\"a\":1,\"a\":2}", 10),
            ("\"\u{1}\"", 2), (#""\ud800""#, 7), ("1 2", 2), ("1e999", 5), ("{a:1}", 1),
        ]
    )
    func invalid(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSON(parsing: Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test("are written and read back unchanged")
    func readsBack() throws {
        let value = JSON.object(("a", .string("\u{1}\"\\ é")), ("b", .array([.number(0.25), .whole(7), .bool(false)])))
        #expect(try JSON(parsing: Array(value.text.utf8)) == value)
        #expect(try JSON(parsing: Array(value.indentedText.utf8)) == value)
    }

    @Test("are rejected beyond a depth limit, without any deeper recursion")
    func depth() throws {
        let deep = String(repeating: "[", count: JSON.depthLimit) + String(repeating: "]", count: JSON.depthLimit)
        #expect(throws: Never.self) { try JSON(parsing: Array(deep.utf8)) }
        #expect(throws: JSONError.self) { try JSON(parsing: Array("[\(deep)]".utf8)) }
        #expect(throws: JSONError.self) { try JSON(parsing: Array(repeating: UInt8(ascii: "["), count: 60_000)) }
    }
}
