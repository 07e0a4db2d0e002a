// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@Suite struct HostileInputTests {
    /// Does all that the module does with the bytes of a stream. Each call returns or throws a `PackagingError`.
    private func exercise(_ specimen: Specimen) {
        for transform in [
            SampleTransform.unchanged, .adts, .openBitstreamUnits, .nalUnits(.annexB), .nalUnits(.lengthPrefixed(1)),
            .nalUnits(.lengthPrefixed(2)), .nalUnits(.lengthPrefixed(4)),
        ] {
            _ = try? transform.apply(ArrayRegion(specimen.packet))
            _ = RandomAccess.isRandomAccessPoint(
                codec: specimen.codec,
                transform: transform,
                prefix: specimen.packet.span
            )
        }
        _ = OpusPacket.sampleCount(specimen.packet.span)
        _ = FLACFrame.sampleCount(specimen.packet.span)
        guard let setup = try? specimen.resolve() else { return }
        // The output is complete, and no longer than the input plus a fixed overhead.
        let head = InitSegment.bytes(for: setup.track)
        #expect(head[4..<8].elementsEqual("ftyp".utf8))
        #expect(head.count <= specimen.extradata.count + specimen.packet.count + 4096)
        #expect(!setup.codecString.isEmpty)
        _ = setup.ticksPerFrame
        var master = MasterPlaylist()
        master.video = setup.track.video == nil ? nil : setup.track
        master.renditions = [.init(track: setup.track, uri: "a", name: "a", isDefault: true)]
        #expect(master.bytes.starts(with: "#EXTM3U\n".utf8))
    }

    @Test("Input truncated anywhere gives a value or a typed error", arguments: Specimen.all)
    func truncation(_ specimen: Specimen) {
        for count in 0...specimen.extradata.count {
            var cut = specimen
            cut.extradata = Array(specimen.extradata.prefix(count))
            exercise(cut)
        }
        for count in 0...specimen.packet.count {
            var cut = specimen
            cut.packet = Array(specimen.packet.prefix(count))
            exercise(cut)
        }
    }

    @Test("Randomly changed input gives a value or a typed error", arguments: Specimen.all)
    func mutation(_ specimen: Specimen) {
        var random = SplitMix(state: UInt64(specimen.packet.count * 1000 + specimen.extradata.count))
        for _ in 0..<1500 {
            var changed = specimen
            mutate(&changed.packet, &random)
            mutate(&changed.extradata, &random)
            exercise(changed)
        }
    }

    @Test("Arbitrary bytes under any codec's name give a value or a typed error", arguments: Specimen.all)
    func exchange(_ specimen: Specimen) {
        for other in Specimen.all {
            var mixed = specimen
            (mixed.extradata, mixed.packet) = (other.extradata, other.packet)
            exercise(mixed)
            (mixed.extradata, mixed.packet) = (other.packet, other.extradata)
            exercise(mixed)
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        guard !bytes.isEmpty, Int.random(in: 0..<4, using: &random) > 0 else { return }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let index = bytes.indices.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes[index] = [0, 0xFF, 0x80, 0x7F].randomElement(using: &random) ?? 0
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
            default:
                bytes.remove(at: index)
                if bytes.isEmpty { return }
            }
        }
    }
}
