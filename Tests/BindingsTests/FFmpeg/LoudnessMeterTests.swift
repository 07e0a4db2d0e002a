// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

/// The signals of EBU Tech 3341 and 3342, whose loudness is given there.
@Suite("The loudness meter", .timeLimit(.minutes(10)))
struct LoudnessMeterTests {
    private static let stereo = ChannelLayout(mask: 0x3)
    private static let surround = ChannelLayout(mask: 0x3F)
    private static let thread = ReadingThread()

    private static func packed(_ layout: ChannelLayout, rate: Int = 48_000) -> AudioFormat {
        AudioFormat(samples: .float, rate: rate, layout: layout)
    }

    /// One second of a tone, which can be repeated without a discontinuity unless it is faded.
    ///
    /// - Parameters:
    ///   - levels: the peak of each channel in dBFS; minus infinity is silence.
    ///   - phase: of the first sample, in turns.
    ///   - isFaded: whether the tone begins and ends gradually, so that it cannot be repeated. A tone that begins at once
    ///     has a higher peak where it begins.
    private static func tone(
        _ levels: [Double],
        hertz: Int = 1000,
        phase: Double = 0,
        isFaded: Bool = false,
        rate: Int = 48_000
    ) -> SampleBlock {
        let gains = levels.map { pow(10, $0 / 20) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rate * gains.count * 4)
        for index in 0..<rate {
            let distance = Double(min(index, rate - 1 - index)) / Double(rate)
            let fade = isFaded ? min(1, distance * 10) : 1
            let value = sin((Double(index * hertz) / Double(rate) + phase) * 2 * Double.pi) * fade
            for gain in gains {
                let bits = Float(value * gain).bitPattern
                for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * byte))) }
            }
        }
        return SampleBlock(planes: [bytes], count: rate)
    }

    /// A part of a signal: a block, and how many seconds of it.
    private typealias Part = (seconds: Int, block: SampleBlock, format: AudioFormat)

    private static func measure(_ parts: [Part]) async throws -> Loudness {
        try await thread.run {
            var meter = try LoudnessMeter.open(parts[0].format)
            for part in parts { for _ in 0..<part.seconds { try meter.add(part.block, part.format) } }
            return try meter.finish()
        }
    }

    private static func stereoParts(_ parts: [(seconds: Int, level: Double)]) -> [Part] {
        parts.map { ($0.seconds, tone([$0.level, $0.level]), packed(stereo)) }
    }

    @Test(
        "integrated loudness is that of Tech 3341, with its gates",
        arguments: [
            ([(20, -23.0)], -23.0), ([(20, -33)], -33), ([(10, -36), (60, -23), (10, -36)], -23),
            ([(10, -72), (10, -36), (60, -23), (10, -36), (10, -72)], -23), ([(20, -26), (20, -20), (20, -26)], -23),
        ] as [([(Int, Double)], Double)]
    )
    func integrated(parts: [(Int, Double)], expected: Double) async throws {
        let found = try await Self.measure(Self.stereoParts(parts))
        #expect(abs(found.integrated - expected) <= 0.1)
        #expect(found.duration == .seconds(Double(parts.reduce(0) { $0 + $1.0 })))
    }

    @Test("surround channels weigh more, and the LFE channel does not count")
    func surround() async throws {
        let block = Self.tone([-28, -28, -24, 0, -30, -30])
        let found = try await Self.measure([(20, block, Self.packed(Self.surround))])
        #expect(abs(found.integrated + 23) <= 0.1)
    }

    @Test(
        "the loudness range is that of Tech 3342",
        arguments: [([-20, -30], 10), ([-20, -15], 5), ([-40, -20], 20), ([-50, -35, -20, -35, -50], 15)]
            as [([Double], Double)]
    )
    func range(levels: [Double], expected: Double) async throws {
        let found = try await Self.measure(Self.stereoParts(levels.map { (20, $0) }))
        #expect(abs(found.range - expected) <= 1)
    }

    /// The tone has a quarter of the sample rate, and all its samples are at 0.707 of the peak.
    @Test("the true peak lies between the samples", arguments: [-6.0, -40])
    func truePeak(level: Double) async throws {
        let block = Self.tone([level, level - 20], hertz: 12_000, phase: 0.125, isFaded: true)
        let found = try await Self.measure([(1, block, Self.packed(Self.stereo))])
        #expect(found.truePeak <= level + 0.2 && found.truePeak >= level - 0.4)
    }

    @Test("silence has no level, and no range")
    func silence() async throws {
        let found = try await Self.measure(Self.stereoParts([(3, -.infinity)]))
        #expect(found.integrated == -.infinity && found.truePeak == -.infinity && found.range == 0)
    }

    @Test("audio that changes its format midway is measured to its end")
    func change() async throws {
        let low = Self.tone([-23, -23], rate: 44_100)
        let parts: [Part] = [
            (10, Self.tone([-23, -23]), Self.packed(Self.stereo)), (10, low, Self.packed(Self.stereo, rate: 44_100)),
        ]
        let found = try await Self.measure(parts)
        #expect(abs(found.integrated + 23) <= 0.1)
        #expect(abs((found.duration - .seconds(20)).microseconds) < 1000)
    }

    @Test("the result does not depend on how the samples are divided")
    func division() async throws {
        let format = Self.packed(Self.stereo)
        let block = Self.tone([-20, -26])
        let whole = try await Self.measure([(4, block, format)])
        let divided = try await Self.thread.run {
            var meter = try LoudnessMeter.open(format)
            for _ in 0..<4 {
                var first = 0
                while first < block.count {
                    let end = min(block.count, first + 1237)
                    let plane = Array(block.planes[0][first * format.stride..<end * format.stride])
                    try meter.add(SampleBlock(planes: [plane], count: end - first), format)
                    first = end
                }
            }
            return try meter.finish()
        }
        #expect(divided == whole)
    }
}
