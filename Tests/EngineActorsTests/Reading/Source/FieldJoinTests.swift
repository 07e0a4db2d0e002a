// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Reading

@Suite("Joining the fields of a frame")
struct FieldJoinTests {
    /// `T` and `B` are top and bottom fields, `F` is a frame; keyframes are marked by `!`.
    private func joined(_ line: String) throws -> [String] {
        var packets = line.split(separator: " ").map { word in
            Packet(Array(word.utf8), stream: 0, duration: 20, flags: word.hasSuffix("!") ? .key : [])
        }
        var join = FieldJoin { packet in
            switch packet.bytes.first {
            case UInt8(ascii: "T"): .topField
            case UInt8(ascii: "B"): .bottomField
            default: .frame
            }
        }
        var found: [String] = []
        while let packet = try join.next({ packets.isEmpty ? nil : packets.removeFirst() }) {
            let text = String(decoding: packet.bytes, as: UTF8.self)
            let fields = text.filter(\.isLetter)
            #expect(packet.duration == Int64(fields.count) * 20)
            #expect(packet.isKey == (text.dropFirst().first == "!"))
            found.append(fields)
        }
        return found
    }

    @Test(
        "two fields of different parity make one frame",
        arguments: [
            ("F! F F", ["F", "F", "F"]),
            ("T! B T B", ["TB", "TB"]),
            ("B! T B T", ["BT", "BT"]),
            // A field whose partner is lost stays alone.
            ("T T B", ["T", "TB"]),
            ("T F B T", ["T", "F", "BT"]),
            ("T! B! T", ["TB", "T"]),
            // A key field does not complete a frame that began with a non-key field.
            ("T B! T B", ["T", "BT", "B"]),
            ("", []),
        ]
    )
    func fields(line: String, expected: [String]) throws {
        #expect(try joined(line) == expected)
    }
}
