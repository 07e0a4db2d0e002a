// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

/// Packets are written by hand, because no available encoder supports objects.
@Suite("Audio objects in the bitstream")
struct ObjectAudioTests {
    private func bytes(_ word: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }

    private func truehd(substreams: UInt8, info: UInt8, signature: UInt32 = 0xB752) -> [UInt8] {
        [0x30, 0x40, 0, 0] + bytes(0xF872_6FBA) + bytes(0) + bytes(signature << 16) + [0, 0, 0, 0]
            + [substreams << 4, info] + [UInt8](repeating: 0, count: 40)
    }

    @Test(
        "TrueHD: a 16-channel presentation in a fourth substream",
        arguments: [(4, 0x80, true), (3, 0x80, false), (4, 0x7F, false), (15, 0xFF, true)]
            as [(UInt8, UInt8, Bool)]
    )
    func truehd(substreams: UInt8, info: UInt8, isAtmos: Bool) {
        let found = ObjectAudio.found(in: [[0], truehd(substreams: substreams, info: info)], of: .truehd)
        #expect((found == .dolbyAtmos(complexity: nil)) == isAtmos)
        #expect(ObjectAudio.found(in: [truehd(substreams: 4, info: 0x80, signature: 0)], of: .truehd) == nil)
    }

    /// A core of 8 bytes, a substream header of 12, then a lossless frame with `extensionWord` after 16 bytes.
    private func dts(_ extensionWord: UInt32, frameBytes: Int = 40) -> [UInt8] {
        // version 0, header size 0, 16 bits for the size, the size less one
        let sizes = UInt64(15) << 47 | UInt64(frameBytes - 1) << 31
        let header = [56, 48, 40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sizes >> $0) }
        return bytes(0x7FFE_8001) + bytes(1) + bytes(0x6458_2025) + bytes(2) + bytes(3) + bytes(0x41A2_9547) + header
            + bytes(4) + bytes(extensionWord) + [UInt8](repeating: 0, count: 24)
    }

    @Test(
        "DTS: a DTS:X extension in the lossless frame",
        arguments: [
            (0x0200_0850, 40, true), (0xF140_00D0, 40, true), (0xF140_00D1, 40, true), (0x0200_0851, 40, false),
            (0x0200_0850, 16, false),
        ] as [(UInt32, Int, Bool)]
    )
    func dts(word: UInt32, frameBytes: Int, isFound: Bool) {
        let packet = dts(word, frameBytes: frameBytes)
        #expect((ObjectAudio.found(in: [packet, packet], of: .dts) == .dtsX) == isFound)
        // One frame among several may be a coincidence.
        let plain = dts(0)
        #expect(ObjectAudio.found(in: [packet, plain, plain], of: .dts) == nil)
    }

    @Test(
        "Damaged packets give an answer, which is never DTS:X in E-AC-3",
        arguments: ObjectAudio.carriers.sorted { $0.rawValue < $1.rawValue }
    )
    func hostile(codec: CodecID) {
        var random = SplitMix(state: 7)
        let seeds = [dts(0x0200_0850), truehd(substreams: 4, info: 0x80), [0x0B, 0x77] + dts(1)]
        for round in 0..<3000 {
            var packet = seeds[round % seeds.count]
            for _ in 0..<4 {
                packet[Int(random.next() % UInt64(packet.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            packet.removeLast(Int(random.next() % UInt64(packet.count)))
            let found = ObjectAudio.found(in: [packet], of: codec)
            #expect(found == nil || codec != .eac3 || found != .dtsX)
        }
    }
}
