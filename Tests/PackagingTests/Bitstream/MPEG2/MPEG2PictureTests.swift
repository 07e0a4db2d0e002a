// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

struct MPEG2PictureTests {
    /// A sequence header, its extension if `isProgressive` is not nil, and a picture with its coding extension.
    private static func packet(
        structure: UInt8 = 3,
        isRepeated: Bool = false,
        isProgressive: Bool? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 1, 0xB3, 0x2D, 0x01, 0xE0, 0x34, 0xFF, 0xFF, 0xE0, 0x18]
        if let isProgressive { bytes += [0, 0, 1, 0xB5, 0x14, isProgressive ? 0x8A : 0x82, 0, 1, 0, 0] }
        bytes += [0, 0, 1, 0, 0x00, 0x0F, 0xFF, 0xF8, 0, 0, 1, 0xB5, 0x8F, 0xFF, 0xF0 | structure]
        return bytes + [isRepeated ? 0xC2 : 0xC0, 0x80, 0, 0, 1, 1, 0x22, 0x33]
    }

    @Test
    func fieldsOfAFrameAreCounted() {
        func count(_ bytes: [UInt8]) -> Int? { MPEG2Picture.fieldCount(bytes.span) }
        #expect(count(Self.packet()) == 2)
        #expect(count(Self.packet(isRepeated: true, isProgressive: false)) == 3)
        // Not counted: single fields, repeats of whole frames, and packets without a complete header.
        #expect(count(Self.packet(structure: 1)) == nil)
        #expect(count(Self.packet(isRepeated: true, isProgressive: true)) == nil)
        let whole = Self.packet(isRepeated: true, isProgressive: false)
        for end in 0..<whole.count - 8 { #expect(count(Array(whole.prefix(end))) == nil) }
        #expect(count([]) == nil)
    }

    @Test
    func progressiveSequencesAreDeclaredByTheirExtension() {
        func isProgressive(_ bytes: [UInt8]) -> Bool? { MPEG2Picture.isSequenceProgressive(bytes.span) }
        #expect(isProgressive(Self.packet(isProgressive: true)) == true)
        #expect(isProgressive(Self.packet(isProgressive: false)) == false)
        // Not read: a picture without a sequence extension, an extension after a slice, and a header that is cut off.
        #expect(isProgressive(Self.packet()) == nil)
        #expect(isProgressive(Self.packet() + Self.packet(isProgressive: true)) == nil)
        for end in 0...17 { #expect(isProgressive(Array(Self.packet(isProgressive: true).prefix(end))) == nil) }
    }

    @Test(arguments: [
        ([3, 2, 3, 2, 3, 2, 3, 2], true), ([3, 2, 2, 3, 2, 3, 3, 2, 3], true), ([3, 2, 3, 2, 3, 2], false),
        ([2, 2, 2, 2, 2, 2, 2, 2], false), ([3, 2, 3, 2, 2, 2, 2, 2, 2, 2], false), ([3, 3, 3, 3, 3, 3, 3, 3], false),
        ([], false),
    ])
    func filmHasFourFifthsOfTheRate(fields: [Int], isFilm: Bool) {
        let rate = MPEG2Picture.originalRate(Ratio(30_000, 1001), fields: fields)
        #expect(rate == (isFilm ? Ratio(120_000, 5005) : nil))
        if let rate { #expect(FrameRate.snapped(rate) == Ratio(24_000, 1001)) }
    }
}
