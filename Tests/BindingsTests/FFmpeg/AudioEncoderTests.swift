// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings

@Suite("Encoding audio", .timeLimit(.minutes(10)))
struct AudioEncoderTests {
    private static let thread = ReadingThread()
    /// Samples per frame of FLAC at 48 kHz.
    private static let frame = 4608

    /// The packets of three FLAC frames with the samples of a block from `first` on.
    private static func encoded(_ block: SampleBlock, in part: Range<Int>, from first: Int) async throws -> [[UInt8]] {
        try await thread.run {
            let format = AudioFormat(samples: .int16, rate: 48_000, layout: ChannelLayout(mask: 0x3))
            var encoder = try AudioEncoder.open(.init(codec: .flac, format: format, bitDepth: 16))
            var packets: [Packet] = []
            for number in 0..<3 {
                packets += try encoder.encode(Self.frame, of: block, in: part, from: first + number * Self.frame)
            }
            return packets.map { $0.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
        }
    }

    private static func block(_ count: Int, _ sample: (Int) -> UInt8) -> SampleBlock {
        SampleBlock(planes: [(0..<count * 4).map { sample($0 / 4) }], count: count)
    }

    @Test(
        "encodes the heard part of a block at its position, and silence around it",
        arguments: [
            (0..<4000, 0), (700..<2900, 0), (0..<1500, -900), (2000..<2001, 1200), (300..<900, 1000), (0..<0, 0),
        ]
            as [(Range<Int>, Int)]
    )
    func part(_ part: Range<Int>, from first: Int) async throws {
        let noisy = Self.block(14_000) { UInt8(truncatingIfNeeded: $0 * 37 | 1) }
        let silenced = Self.block(3 * Self.frame) { index in
            part.contains(index + first) ? UInt8(truncatingIfNeeded: (index + first) * 37 | 1) : 0
        }
        let found = try await Self.encoded(noisy, in: part, from: first)
        let expected = try await Self.encoded(silenced, in: 0..<3 * Self.frame, from: 0)
        #expect(found.count == 3 && found == expected)
    }
}
