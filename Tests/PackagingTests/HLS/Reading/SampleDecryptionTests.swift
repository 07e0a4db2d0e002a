// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

/// The test cipher adds the number of the block within its chain, which makes positions and chains visible.
@Suite struct SampleDecryptionTests {
    private static func decrypt(_ blocks: [UInt8]) -> [UInt8] {
        blocks.enumerated().map { $1 &+ UInt8(truncatingIfNeeded: $0 / 16 + 1) }
    }

    /// The values added to bytes that all were 0x40, as runs of (added value, count).
    private static func runs(_ bytes: some Sequence<UInt8>) -> [[Int]] {
        var runs: [[Int]] = []
        for byte in bytes {
            let added = Int(byte) - 0x40
            if runs.last?[0] == added { runs[runs.count - 1][1] += 1 } else { runs.append([added, 1]) }
        }
        return runs
    }

    private static func slice(_ count: Int, type: UInt8 = 0x65) -> [UInt8] {
        [0, 0, 0, 1, type] + [UInt8](repeating: 0x40, count: count - 1)
    }

    @Test(
        "One block in ten of a slice is decrypted, from its 33rd byte on, and never its last bytes",
        arguments: [
            (48, 0x65, [[0, 47]]), (49, 0x65, [[0, 31], [1, 16], [0, 1]]), (49, 0x41, [[0, 31], [1, 16], [0, 1]]),
            (49, 0x67, [[0, 48]]), (32 + 160 + 16, 0x65, [[0, 31], [1, 16], [0, 160]]),
            (32 + 160 + 17, 0x65, [[0, 31], [1, 16], [0, 144], [2, 16], [0, 1]]),
        ] as [(Int, UInt8, [[Int]])]
    )
    func slices(_ count: Int, _ type: UInt8, _ expected: [[Int]]) {
        let plain = SampleDecryption.packet(Self.slice(count, type: type), .h264, Self.decrypt)
        #expect(Self.runs(plain.dropFirst(5)) == expected)
    }

    @Test("Each slice begins a chain; other units, start codes and zeros between units stay unchanged")
    func units() {
        let delimiter: [UInt8] = [0, 0, 0, 1, 9, 0xF0]
        let packet = delimiter + Self.slice(60) + [0, 0] + Self.slice(60)
        let plain = SampleDecryption.packet(packet, .h264, Self.decrypt)
        #expect(plain.count == packet.count)
        #expect(plain.prefix(6) == delimiter[...])
        let second = 6 + 64 + 2
        #expect(plain[70..<72] == [0, 0])
        #expect(Self.runs(plain[11..<70]) == [[0, 31], [1, 16], [0, 12]])
        #expect(Self.runs(plain[(second + 5)...]) == [[0, 31], [1, 16], [0, 12]])
        #expect(SampleDecryption.packet([1, 2, 3], .h264, Self.decrypt) == [1, 2, 3])
    }

    @Test("The emulation prevention of the encrypted unit is removed before blocks are counted")
    func emulationPrevention() {
        var packet = Self.slice(60)
        packet.replaceSubrange(10..<13, with: [0, 0, 3, 1])
        let plain = SampleDecryption.packet(packet, .h264, Self.decrypt)
        #expect(Array(plain[10..<13]) == [0, 0, 1])
        #expect(Self.runs(plain[36...]) == [[1, 16], [0, 12]])
        // A slice that is not encrypted keeps its emulation prevention.
        var short = Self.slice(47)
        short.replaceSubrange(10..<13, with: [0, 0, 3, 1])
        #expect(SampleDecryption.packet(short, .h264, Self.decrypt) == short)
    }

    private static func adts(_ count: Int, hasChecksum: Bool = false) -> [UInt8] {
        [
            0xFF, hasChecksum ? 0xF0 : 0xF1, 0x50, 0x80 | UInt8(count >> 11), UInt8(count >> 3 & 0xFF),
            UInt8(count << 5 & 0xE0), 0,
        ] + [UInt8](repeating: 0x40, count: count - 7)
    }

    @Test("Each audio frame is a chain after its clear bytes; an incomplete last block is clear")
    func audio() {
        let packet = Self.adts(7 + 16 + 35) + Self.adts(9 + 16 + 16, hasChecksum: true) + Self.adts(20)
        let aac = SampleDecryption.packet(packet, .aac, Self.decrypt)
        #expect(Self.runs(aac[7..<58]) == [[0, 16], [1, 16], [2, 16], [0, 3]])
        #expect(Self.runs(aac[(58 + 7)..<99]) == [[0, 18], [1, 16]])
        #expect(aac[99...] == packet[99...])
        // 48 kHz, 32 kbit/s: 128 bytes.
        let ac3: [UInt8] = [0x0B, 0x77, 0, 0, 0, 0x40, 0x40, 0x40] + [UInt8](repeating: 0x40, count: 120)
        let twice = SampleDecryption.packet(ac3 + ac3, .ac3, Self.decrypt)
        let expected = [[0, 8]] + (1...7).map { [$0, 16] }
        #expect(Self.runs(twice[8..<128]) == expected)
        #expect(Self.runs(twice[136...]) == expected)
        let eac3: [UInt8] = [0x0B, 0x77, 0, 19] + [UInt8](repeating: 0x40, count: 36)
        #expect(Self.runs(SampleDecryption.packet(eac3, .eac3, Self.decrypt)[4...]) == [[0, 12], [1, 16], [0, 8]])
    }

    @Test("Bytes that are not a whole frame are returned unchanged", arguments: SampleDecryption.Codec.allCases)
    func foreign(_ codec: SampleDecryption.Codec) {
        for packet in [[], [0xFF], [0x0B, 0x77], Array(Self.adts(100).prefix(50)), [0, 0, 1]] {
            #expect(SampleDecryption.packet(packet, codec, Self.decrypt) == packet)
        }
    }
}
