// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Server
@testable import Wire

@Suite("Numbers of a protobuf message")
struct WireReaderTests {
    @Test(
        "are written in as few bytes as possible, and read back",
        arguments: [
            (0, [0]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]), (16_384, [0x80, 0x80, 1]),
            (.max, [UInt8](repeating: 0xFF, count: 9) + [1]),
        ] as [(UInt64, [UInt8])]
    )
    func numbers(value: UInt64, bytes: [UInt8]) {
        #expect(varint(value) == bytes)
        // Field 1 holds the number, and field 2 is empty: field 2 is found only if field 1 is read to its exact end.
        let message = [0x08] + bytes + [0x12, 0]
        var reader = WireReader(count: message.count)
        #expect(reader.next(in: message.span)?.number == 1)
        #expect(reader.next(in: message.span)?.number == 2)
    }
}
