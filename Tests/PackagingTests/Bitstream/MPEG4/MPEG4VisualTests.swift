// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Packed bitstreams in MPEG-4 part 2")
struct MPEG4VisualTests {
    private static let picture: [UInt8] = [0, 0, 1, 0xB6, 0x50, 0x7F]

    private static func marked(_ text: String) -> [UInt8] { [0, 0, 1, 0xB2] + Array(text.utf8) + picture }

    @Test(
        "A bitstream is packed if a packet has two pictures or the mark of DivX",
        arguments: [
            (picture + picture, true), (picture, false), ([], false), ([0, 0, 1], false),
            (marked("DivX503b1393p"), true), (marked("DivX501Build413p"), true), (marked("DivX503b1393"), false),
            (marked("XviD0046p"), false), (marked("DivXp"), false),
        ]
    )
    func packed(_ row: ([UInt8], Bool)) { #expect(MPEG4Visual.isPacked(row.0.span) == row.1) }
}
