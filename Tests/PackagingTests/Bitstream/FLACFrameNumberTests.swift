// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("The number of a FLAC frame", .timeLimit(.minutes(10)))
struct FLACFrameNumberTests {
    /// The first frame of the example in RFC 9639 §D.1.
    static let frame: [UInt8] = [
        0xFF, 0xF8, 0x69, 0x18, 0x00, 0x00, 0xBF, 0x03, 0x58, 0xFD, 0x03, 0x12, 0x8B, 0xAA, 0x9A,
    ]

    @Test("set to its current value, changes neither the frame nor its checksums")
    func same() {
        let same = FLACFrame.renumbered(Self.frame.span, to: 0)
        #expect(same == Self.frame)
    }

    @Test(
        "is coded in as few bytes as possible, and can be set back",
        arguments: [
            (1, 1), (127, 1), (128, 2), (2047, 2), (2048, 3), (65_535, 3), (65_536, 4), (2_097_151, 4), (2_097_152, 5),
            (67_108_863, 5), (67_108_864, 6), (2_147_483_647, 6),
        ]
    )
    func lengths(number: Int, count: Int) throws {
        let renumbered = FLACFrame.renumbered(Self.frame.span, to: UInt64(number))
        let changed = try #require(renumbered)
        #expect(changed.count == Self.frame.count - 1 + count)
        let back = FLACFrame.renumbered(changed.span, to: 0)
        #expect(back == Self.frame)
    }

    @Test("is not set if the bytes are not a frame", arguments: [0, 4, 5, 6, 8])
    func short(count: Int) {
        let bytes = Array(Self.frame.prefix(count))
        let found = FLACFrame.renumbered(bytes.span, to: 7)
        #expect(found == nil)
    }

    @Test("is limited to 31 bits")
    func tooLarge() {
        let found = FLACFrame.renumbered(Self.frame.span, to: 1 << 31)
        #expect(found == nil)
    }
}
