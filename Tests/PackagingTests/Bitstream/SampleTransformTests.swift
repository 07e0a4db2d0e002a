// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct SampleTransformTests {
    private func apply(_ transform: SampleTransform, _ bytes: String) throws -> [UInt8] {
        ByteBody([try transform.apply(ArrayRegion(hex(bytes)))]).joined
    }

    @Test("A packet that is already a valid sample is passed on without a copy")
    func identity() throws {
        for (transform, specimen) in [
            (SampleTransform.unchanged, Specimen.aac), (.nalUnits(.lengthPrefixed(4)), .avc),
            (.openBitstreamUnits, .vp9),
        ] {
            let region = ArrayRegion(specimen.codec == .vp9 ? hex("0a01003201ff") : specimen.packet)
            #expect(try transform.apply(region) === region)
        }
    }

    @Test("Start codes of either length become lengths; padding and empty units are removed")
    func annexB() throws {
        #expect(
            try apply(.nalUnits(.annexB), "00000000016501020000000001 41 000003 01 000001 000001 0203 0000")
                == hex("00000003 650102 00000005 4100000301 00000002 0203")
        )
        #expect(throws: PackagingError.self) { try apply(.nalUnits(.annexB), "6501020304") }
    }

    @Test("A packet of units with lengths is whole if its last unit ends with the packet; other packets always are")
    func whole() {
        func isWhole(_ transform: SampleTransform, _ bytes: String) -> Bool {
            transform.isWhole(ArrayRegion(hex(bytes)))
        }
        #expect(isWhole(.nalUnits(.lengthPrefixed(4)), "00000002 6501 00000001 41"))
        #expect(!isWhole(.nalUnits(.lengthPrefixed(4)), "00000002 6501 00000002 41"))
        #expect(isWhole(.nalUnits(.annexB), "00000001 6501") && isWhole(.unchanged, "00000002 65"))
    }

    @Test("Temporal delimiters are removed, wherever they are")
    func temporalDelimiters() throws {
        #expect(try apply(.openBitstreamUnits, "1200 0a01aa 1200 3202bbcc") == hex("0a01aa3202bbcc"))
        #expect(try apply(.openBitstreamUnits, "10") == [])
        #expect(try apply(.openBitstreamUnits, "1200 30bbcc") == hex("30bbcc"))
        #expect(throws: PackagingError.self) { try apply(.openBitstreamUnits, "1200 3204bbcc") }
    }

    @Test("An ADTS header is removed, including its checksum if present")
    func adts() throws {
        #expect(try apply(.adts, "fff14c80013ffc aabb") == hex("aabb"))
        #expect(try apply(.adts, "fff04c80017ffc 1234 aabb") == hex("aabb"))
        #expect(throws: PackagingError.self) { try apply(.adts, "fff14c80013ffc aabbcc") }
        #expect(throws: PackagingError.self) { try apply(.adts, "00f14c80013ffc aabb") }
    }
}

@Suite struct AudioPacketTests {
    @Test(
        "The first bytes of an Opus packet determine its duration",
        arguments: [
            ("00", 480), ("18", 2880), ("60", 480), ("68", 960), ("80", 120), ("f8", 960), ("fc", 960), ("f9", 1920),
            ("fb03", 2880),
            ("fb00", nil), ("fb3f", nil), ("fb", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func opus(_ bytes: String, _ expected: Int?) {
        #expect(OpusPacket.sampleCount(hex(bytes).span) == expected)
    }

    @Test(
        "The header of a FLAC frame determines its duration",
        arguments: [
            ("fff85a1800d6", 4608), ("fff8c91800d6", 4096), ("fff8691800 7fd6", 128), ("fff8791800 03e7d6", 1000),
            ("fff87918 c280 03e7", 1000), ("fff8091800d6", nil), ("fff8791800 03", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func flac(_ bytes: String, _ expected: Int?) {
        #expect(FLACFrame.sampleCount(hex(bytes).span) == expected)
    }
}
