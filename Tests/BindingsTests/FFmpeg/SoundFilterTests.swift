// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Packaging
import Testing

@testable import Bindings

/// Runs the filters of `SoundChain` on tones.
@Suite("Audio that is changed", .timeLimit(.minutes(10)))
struct SoundFilterTests {
    private static let thread = ReadingThread()
    private static let rate = 48_000

    private static func packed(_ mask: UInt64, rate: Int = SoundFilterTests.rate) -> AudioFormat {
        AudioFormat(samples: .float, rate: rate, layout: ChannelLayout(mask: mask))
    }

    private static func chain(night: Bool = false, dialogue: Double = 0, gain: Double? = nil) throws -> SoundChain {
        var treatment = SoundTreatment()
        treatment.isNightMode = night
        treatment.dialogueLift = dialogue
        if gain != nil { treatment.loudnessTarget = -23 }
        return try #require(SoundChain(treatment, loudness: gain.map { -23 - $0 }))
    }

    private static func filters(_ chain: SoundChain, _ format: AudioFormat) -> String {
        [chain.shaping(format.layout.mask), SoundChain.limiter(rate: format.rate)].filter { !$0.isEmpty }
            .joined(separator: ",")
    }

    /// - Parameter sample: returns the value for a sample index and a channel.
    private static func block(_ count: Int, channels: Int, _ sample: (Int, Int) -> Double) -> SampleBlock {
        var samples: [Float] = []
        samples.reserveCapacity(count * channels)
        for index in 0..<count {
            for channel in 0..<channels { samples.append(Float(sample(index, channel))) }
        }
        return unsafe SampleBlock(planes: [samples.withUnsafeBytes { unsafe Array($0) }], count: count)
    }

    /// The samples of a block, whose bytes are floats. Copied in one step, because tests are not optimised.
    private static func floats(_ block: SampleBlock) -> [Float] {
        unsafe block.planes[0].withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }

    private static func tone(_ hertz: Double, _ index: Int, rate: Int = SoundFilterTests.rate) -> Double {
        sin(Double(index) * hertz / Double(rate) * 2 * Double.pi)
    }

    /// The peak of a tone whose mean square is this many dB below full scale.
    private static func amplitude(_ level: Double) -> Double { pow(10, level / 20) * 2.0.squareRoot() }

    /// The level of a channel in dB, from sample `start` on.
    private static func level(_ block: SampleBlock, _ channel: Int, of channels: Int, from start: Int) -> Double {
        let samples = floats(block)
        var sum = 0.0
        for index in start..<block.count {
            let sample = Double(samples[index * channels + channel])
            sum += sample * sample
        }
        return 10 * log10(max(1e-20, sum / Double(block.count - start)))
    }

    private static func filtered(
        _ filters: String,
        _ block: SampleBlock,
        _ format: AudioFormat
    ) async throws
        -> SampleBlock
    {
        try await thread.run { try SoundFilter.apply(filters, to: block, format) }
    }

    // MARK: Times

    @Test(
        "has as many samples as before, at the same times",
        arguments: [8000, 11_025, 44_100, 48_000, 96_000, 192_000],
        [1, 5, 4801, 20_000]
    )
    func count(rate: Int, count: Int) async throws {
        let format = Self.packed(0x3, rate: rate)
        let filters = Self.filters(try Self.chain(night: true, dialogue: 6, gain: 3), format)
        let block = Self.block(count, channels: 2) { index, _ in index == count / 2 ? 0.5 : 0 }
        let whole = try await Self.filtered(filters, block, format)
        #expect(whole.count == count && whole.planes[0].count == count * format.stride)
        // Shorter audio is lost in a resampler, which returns nothing for it.
        guard count > 100 else { return }
        let samples = Self.floats(whole).map(abs)
        #expect(samples.indices.max { samples[$0] < samples[$1] }.map { $0 / 2 } == count / 2)
    }

    @Test("does not depend on how the samples are divided")
    func division() async throws {
        let format = Self.packed(0x3)
        let filters = Self.filters(try Self.chain(night: true, dialogue: 6), format)
        let block = Self.block(Self.rate, channels: 2) { index, _ in
            Self.tone(440, index) * (index % 20_000 < 8000 ? 0.9 : 0.01)
        }
        let whole = try await Self.filtered(filters, block, format)
        let divided = try await Self.thread.run {
            var filter = try SoundFilter.open(filters, format)
            var bytes: [UInt8] = []
            var first = 0
            while first < block.count {
                let end = min(block.count, first + 1237)
                let plane = Array(block.planes[0][first * format.stride..<end * format.stride])
                bytes += try filter.process(SampleBlock(planes: [plane], count: end - first)).planes[0]
                first = end
            }
            return try bytes + filter.finish().planes[0]
        }
        #expect(divided == whole.planes[0])
    }

    // MARK: Levels

    /// The level of the source, and how it changes, both in dB.
    @Test(
        "in night mode is louder where it was quiet, and quieter where it was loud",
        arguments: [(-70, 12), (-50, 12), (-36, 9.2), (-27, 3.2), (-20, -2), (-10, -9.5), (-3, -14.8)]
            as [(Double, Double)]
    )
    func night(level: Double, change: Double) async throws {
        let format = Self.packed(0x3)
        let block = Self.block(2 * Self.rate, channels: 2) { index, _ in Self.amplitude(level) * Self.tone(997, index) }
        let found = try await Self.filtered(Self.filters(try Self.chain(night: true), format), block, format)
        let louder = Self.level(found, 0, of: 2, from: Self.rate) - level
        #expect(abs(louder - change) < 0.3)
    }

    @Test("in night mode keeps its direction: all channels change alike")
    func direction() async throws {
        let format = Self.packed(0x3)
        let block = Self.block(2 * Self.rate, channels: 2) { index, channel in
            Self.amplitude(channel == 0 ? -15 : -35) * Self.tone(997, index)
        }
        let found = try await Self.filtered(Self.filters(try Self.chain(night: true), format), block, format)
        let levels = (0..<2).map { Self.level(found, $0, of: 2, from: Self.rate) }
        #expect(abs(levels[0] - levels[1] - 20) < 0.01)
    }

    @Test(
        "has louder dialogue in the centre channel, and nowhere else",
        arguments: [0x7, 0x3F, 0x60F, 0x63F] as [UInt64]
    )
    func center(mask: UInt64) async throws {
        let format = Self.packed(mask)
        let channels = format.layout.count
        let block = Self.block(Self.rate, channels: channels) { index, _ in Self.amplitude(-30) * Self.tone(300, index)
        }
        let found = try await Self.filtered(Self.filters(try Self.chain(dialogue: 6), format), block, format)
        for channel in 0..<channels {
            let change = Self.level(found, channel, of: channels, from: Self.rate / 2) + 30
            #expect(abs(change - (channel == 2 ? 6 : 0)) < 0.05)
        }
    }

    /// The frequency, whether both channels are alike (1) or opposite (-1), and the change in dB.
    @Test(
        "has louder speech in the middle of stereo, and in mono",
        arguments: [
            (1500, 1, 6), (530, 1, 3), (4200, 1, 3), (60, 1, 0), (1500, -1, 0), (530, -1, 0),
        ] as [(Double, Double, Double)]
    )
    func speech(hertz: Double, side: Double, change: Double) async throws {
        let format = Self.packed(0x3)
        let block = Self.block(Self.rate, channels: 2) { index, channel in
            Self.amplitude(-30) * Self.tone(hertz, index) * (channel == 0 ? 1 : side)
        }
        let found = try await Self.filtered(Self.filters(try Self.chain(dialogue: 6), format), block, format)
        for channel in 0..<2 {
            #expect(abs(Self.level(found, channel, of: 2, from: Self.rate / 2) + 30 - change) < 0.15)
        }
        guard side > 0 else { return }
        let mono = Self.packed(0x4)
        let single = Self.block(Self.rate, channels: 1) { index, _ in Self.amplitude(-30) * Self.tone(hertz, index) }
        let louder = try await Self.filtered(Self.filters(try Self.chain(dialogue: 6), mono), single, mono)
        #expect(abs(Self.level(louder, 0, of: 1, from: Self.rate / 2) + 30 - change) < 0.15)
    }

    @Test("has the wanted loudness", arguments: [-40, -30, -16] as [Double])
    func loudness(level: Double) async throws {
        let format = Self.packed(0x3)
        // Both channels of a stereo tone together are as loud as the level of its peak.
        let block = Self.block(10 * Self.rate, channels: 2) { index, _ in pow(10, level / 20) * Self.tone(1000, index) }
        let found = try await Self.filtered(Self.filters(try Self.chain(gain: -23 - level), format), block, format)
        let measured = try await Self.thread.run {
            var meter = try LoudnessMeter.open(format)
            try meter.add(found, format)
            return try meter.finish()
        }
        #expect(abs(measured.integrated + 23) <= 0.1)
    }

    // MARK: Peaks

    /// A tone at a quarter of the rate has samples at 0.707 of its peak; noise has peaks anywhere.
    @Test(
        "has no true peak above -1 dBTP",
        arguments: [("tone", 0x3, false), ("burst", 0x3, true), ("noise", 0x3F, true)] as [(String, UInt64, Bool)]
    )
    func peak(kind: String, mask: UInt64, night: Bool) async throws {
        let format = Self.packed(mask)
        var random = SplitMix(state: 7)
        let block = Self.block(2 * Self.rate, channels: format.layout.count) { index, _ in
            switch kind {
            case "tone": sin((Double(index) / 4 + 0.125) * 2 * Double.pi)
            case "burst": index % 24_000 < 12_000 ? 0 : 0.99 * Self.tone(11_025, index)
            default: Double(random.next() >> 11) / 0x1p52 - 1
            }
        }
        let chain = try Self.chain(night: night, dialogue: 12, gain: 12)
        let found = try await Self.filtered(Self.filters(chain, format), block, format)
        let measured = try await Self.thread.run {
            var meter = try LoudnessMeter.open(format)
            try meter.add(found, format)
            return try meter.finish()
        }
        #expect(measured.truePeak <= SoundChain.peak + 0.05)
        #expect(measured.truePeak > -20)
    }

    // MARK: Memory

    @Test(
        "has, after the preroll, the same level as with filters that ran from the start",
        arguments: [-60, -40, -20] as [Double]
    )
    func memory(level: Double) async throws {
        let format = Self.packed(0x3)
        let filters = Self.filters(try Self.chain(night: true, dialogue: 6), format)
        let preroll = Int(SoundChain.preroll.microseconds) * Self.rate / 1_000_000
        let loud = 2 * Self.rate
        // The worst that can precede: full scale, up to the start of the preroll.
        let block = Self.block(loud + preroll + Self.rate, channels: 2) { index, _ in
            Self.tone(500, index) * (index < loud ? 0.99 : Self.amplitude(level))
        }
        let cut = SampleBlock(planes: [Array(block.planes[0][(loud * format.stride)...])], count: block.count - loud)
        let whole = try await Self.filtered(filters, block, format)
        let late = try await Self.filtered(filters, cut, format)
        let levels = (
            Self.level(whole, 0, of: 2, from: loud + preroll), Self.level(late, 0, of: 2, from: preroll)
        )
        #expect(abs(levels.0 - levels.1) < 0.1)
    }

    @Test(
        "samples of damaged packets, and NaN, do not stay in the filters",
        arguments: [Double.nan, .infinity, -.infinity, 3e38, 1e5]
    )
    func damage(value: Double) async throws {
        try await Self.thread.run {
            let (format, chain) = (Self.packed(0x3), try Self.chain(night: true, dialogue: 6))
            func filtered(_ broken: Double?) throws -> [Float] {
                // The value for 20 ms, in the first of five seconds of a quiet tone.
                let input = Self.block(5 * Self.rate, channels: 2) { index, _ in
                    if let broken, (24_000..<24_960).contains(index) { return broken }
                    return Self.tone(1000, index) * Self.amplitude(-30)
                }
                return Self.floats(try SoundFilter.apply(Self.filters(chain, format), to: input, format))
            }
            let (clean, damaged) = (try filtered(nil), try filtered(value))
            #expect(damaged.allSatisfy { $0.isFinite && abs($0) <= 1 })
            // After `SoundChain.preroll`, nothing is left of the value.
            let late = 2 * (24_960 + Int(SoundChain.preroll.seconds * Double(Self.rate)))
            for place in late..<clean.count where abs(clean[place] - damaged[place]) > 0.01 {
                Issue.record("sample \(place / 2): \(damaged[place]) instead of \(clean[place])")
                return
            }
        }
    }
}
