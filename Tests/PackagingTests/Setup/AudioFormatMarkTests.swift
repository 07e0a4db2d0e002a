// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Audio format marks")
struct AudioFormatMarkTests {
    private func mark(_ codec: CodecID, _ frame: [UInt8]) -> AudioFormatMark? {
        AudioFormatMark(codec: codec, frame: frame.span)
    }

    @Test("ADTS: rate and channels matter, the frame's length does not")
    func adts() {
        let frame = Specimen.adts.packet
        #expect(mark(.aac, frame) != nil)
        let rows: [(byte: Int, bit: UInt8, differs: Bool)] = [
            (2, 0x40, true), (2, 4, true), (2, 1, true), (3, 0x40, true), (2, 2, false), (4, 1, false),
        ]
        for (byte, bit, differs) in rows {
            var other = frame
            other[byte] ^= bit
            #expect((mark(.aac, other) != mark(.aac, frame)) == differs, "byte \(byte)")
        }
    }

    @Test("AC-3: rate and channel mode matter")
    func ac3() {
        let frame = Specimen.ac3.packet
        #expect(mark(.ac3, frame) != nil)
        for (byte, bit, differs) in [(4, UInt8(0x40), true), (6, 0x20, true), (8, 1, false)] {
            var other = frame
            other[byte] ^= bit
            #expect((mark(.ac3, other) != mark(.ac3, frame)) == differs, "byte \(byte)")
        }
    }

    @Test("Bytes that are not a header have no mark")
    func garbage() {
        #expect(mark(.aac, []) == nil && mark(.ac3, [0x0B, 0x77]) == nil && mark(.opus, [1, 2, 3]) == nil)
        #expect(mark(.aac, Specimen.aac.packet) == nil)
    }
}
