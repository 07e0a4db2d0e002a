// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct RandomAccessTests {
    private func verdict(_ codec: CodecID, _ transform: SampleTransform, _ bytes: [UInt8]) -> Bool? {
        RandomAccess.isRandomAccessPoint(codec: codec, transform: transform, prefix: bytes.span)
    }

    @Test("The first packet of each specimen is a random access point", arguments: Specimen.all)
    func firstPackets(_ specimen: Specimen) throws {
        #expect(verdict(specimen.codec, try specimen.resolve().transform, specimen.packet) == true)
    }

    @Test(
        "H.264 is judged by slices and recovery points",
        arguments: [
            ("0000000165888400", true), ("00000001419a0000", false), ("000001 09f0 000001 4188 84", true),
            ("000001 0604 01020304 000001 419a", false), ("000001 0606 01c480 000001 419a", true),
            ("000001 09f0 000001 6764", nil), ("", nil), ("ffffffff", nil),
        ] as [(String, Bool?)]
    )
    func h264(_ bytes: String, _ expected: Bool?) {
        #expect(verdict(.h264, .nalUnits(.annexB), hex(bytes)) == expected)
    }

    @Test(
        "H.264 is refreshed gradually if a recovery point has a frame count above 0",
        arguments: [
            ("000001 09f0 000001 0606 014880 000001 419a", true), ("000001 0606 01c480 000001 419a", false),
            ("000001 0606 014880 000001 6588", true), ("000001 6588 000001 0606 014880", false),
            ("000001 4188 84", false),
            ("000001 0606 01", false), ("000001 0606", false), ("", false),
        ] as [(String, Bool)]
    )
    func gradual(_ bytes: String, _ expected: Bool) {
        func isGradual(_ codec: CodecID) -> Bool {
            RandomAccess.isGradual(codec: codec, transform: .nalUnits(.annexB), prefix: hex(bytes).span)
        }
        #expect(isGradual(.h264) == expected && !isGradual(.hevc))
    }

    @Test("Codec private data determines the framing of packets")
    func gradualFraming() {
        func isGradual(_ extradata: String, _ packet: String) -> Bool {
            RandomAccess.isGradual(codec: .h264, extradata: hex(extradata), packet: hex(packet).span)
        }
        #expect(isGradual("", "000001 0606 014880 000001 419a"))
        #expect(isGradual("0142c01efde100", "0005 0606 014880 0002 419a"))
        #expect(isGradual("0142c01effe100", "00000005 0606 014880 00000002 419a"))
        #expect(!isGradual("0142c01effe100", "00000002 419a"))
    }

    @Test("A prefix that ends within a unit is judged by the complete units and the start of the truncated one")
    func cutOffUnits() {
        let framing = SampleTransform.nalUnits(.lengthPrefixed(4))
        #expect(verdict(.h264, framing, hex("00000002 09f0 00010000 6588")) == true)
        #expect(verdict(.h264, framing, hex("00000002 09f0 00010000 0605ff")) == nil)
        #expect(verdict(.h264, framing, hex("00000002 09f0 0001")) == nil)
        #expect(verdict(.hevc, framing, hex("00000003 460150 00010000 2601")) == true)
        #expect(verdict(.hevc, framing, hex("00000003 460150 00010000 0201")) == false)
    }

    @Test("AV1 needs a sequence header and a shown key frame")
    func av1() {
        let sequence = "0a0a00000002afff9f7f2008"
        #expect(verdict(.av1, .openBitstreamUnits, hex("1200\(sequence) 32ff01 10")) == true)
        #expect(verdict(.av1, .openBitstreamUnits, hex("1200\(sequence) 32ff01 00")) == false)
        #expect(verdict(.av1, .openBitstreamUnits, hex("1200\(sequence) 32ff01 30")) == false)
        #expect(verdict(.av1, .openBitstreamUnits, hex("1200 32ff01 10")) == false)
        #expect(verdict(.av1, .openBitstreamUnits, hex("1200\(sequence)")) == nil)
    }

    @Test(
        "VP9 is judged by its frame type",
        arguments: [("82498342", true), ("86004040", false), ("8a", false), ("40", nil)] as [(String, Bool?)]
    )
    func vp9(_ bytes: String, _ expected: Bool?) {
        #expect(verdict(.vp9, .unchanged, hex(bytes)) == expected)
    }
}
