// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Bridged audio that is changed", .timeLimit(.minutes(10)))
struct BridgeSamplesTests {
    private static let thread = ReadingThread()
    private static let base = TimeBase(1, 48_000)

    private static func format(_ samples: SampleFormat, _ rate: Int, _ mask: UInt64) -> AudioFormat {
        AudioFormat(samples: samples, rate: rate, layout: ChannelLayout(mask: mask))
    }

    private static func night() throws -> SoundChain {
        var treatment = SoundTreatment()
        treatment.isNightMode = true
        return try #require(SoundChain(treatment))
    }

    private static func plan(
        _ canvas: AudioFormat,
        _ encoded: AudioFormat,
        sound: SoundChain?,
        frameLength: Int64 = 1024
    ) -> BridgePlan {
        BridgePlan(
            input: AudioBridgeInput(parameters: CodecParameters(), format: canvas, packetTicks: frameLength),
            canvas: canvas,
            encoding: AudioEncoding(
                settings: AudioEncoder.Settings(codec: .aac, format: encoded, bitRate: 128_000),
                frameLength: frameLength,
                delay: 0,
                leadingFrames: 0
            ),
            placement: SamplePlacement(timeBase: base, origin: 0, rate: Int64(canvas.rate)),
            preroll: .zero,
            firstTime: 0,
            firstSample: 0,
            sound: sound
        )
    }

    /// One tone in all channels, from 0 on, in quiet and loud passages of 0.7 s.
    private static func film(_ range: Range<Int64>, _ format: AudioFormat) -> SampleCanvas {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count * format.stride)
        for index in range {
            let seconds = Double(index) / Double(format.rate)
            let level = index < 0 ? 0 : Int(seconds / 0.7) % 2 == 0 ? 0.02 : 0.9
            let bits = Float(sin(seconds * 440 * 2 * Double.pi) * level).bitPattern
            for _ in 0..<format.layout.count {
                for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: bits >> (8 * byte))) }
            }
        }
        var canvas = SampleCanvas(format: format, range: range)
        canvas.lay(SampleBlock(planes: [bytes], count: range.count), at: range.lowerBound)
        return canvas
    }

    /// The first channel of what the encoder gets for a canvas: its samples by their positions on the timeline.
    private static func samples(
        _ canvas: SampleCanvas,
        _ plan: BridgePlan,
        limiter: @escaping @Sendable (Int) -> String = { SoundChain.limiter(rate: $0) }
    ) async throws -> (values: [Int64: Float], count: Int, planes: Int, isUntreated: Bool) {
        try await thread.run {
            let samples = try BridgeSamples(canvas, plan, limiter: limiter)
            let plane = samples.block.planes[0]
            var values: [Int64: Float] = [:]
            values.reserveCapacity(samples.block.count)
            for index in 0..<samples.block.count {
                let place = index * 4
                let low = UInt32(plane[place]) | UInt32(plane[place + 1]) << 8
                let high = UInt32(plane[place + 2]) | UInt32(plane[place + 3]) << 8
                values[samples.start + Int64(index)] = Float(bitPattern: low | high << 16)
            }
            return (values, samples.block.count, samples.block.planes.count, samples.isUntreated)
        }
    }

    @Test("several parts of a source follow each other; where they overlap, the later one is heard")
    func layers() throws {
        let format = Self.format(.float, 48_000, 3)
        let plan = Self.plan(format, format, sound: nil)
        func layer(_ value: UInt8, _ data: Range<Int64>) -> BridgeSamples.Layer {
            var canvas = SampleCanvas(format: format, range: 0..<100)
            let bytes = [UInt8](repeating: value, count: data.count * format.stride)
            canvas.lay(SampleBlock(planes: [bytes], count: data.count), at: data.lowerBound)
            return BridgeSamples.Layer(canvas: canvas, plan: plan)
        }
        let samples = try BridgeSamples([layer(1, 0..<60), layer(2, 50..<80)], format)
        let found = stride(from: 0, to: samples.block.count * format.stride, by: format.stride).map {
            samples.block.planes[0][$0]
        }
        let expected = [UInt8](repeating: 1, count: 50) + [UInt8](repeating: 2, count: 30)
        #expect(samples.start == 0 && samples.part == 0..<80 && found == expected)
    }

    @Test("samples that need no change are not copied")
    func unchanged() throws {
        let format = Self.format(.planarFloat, 48_000, 0x4)
        let plan = Self.plan(format, format, sound: nil)
        let block = SampleBlock(planes: [[UInt8](repeating: 5, count: 4000)], count: 1000)
        var canvas = SampleCanvas(format: format, range: 200..<700)
        canvas.lay(block, at: 100)
        let samples = try BridgeSamples(canvas, plan)
        #expect(samples.start == 200 && samples.part == 100..<600 && samples.block.count == 1000)
    }

    @Test("reaches back by the memory of the filters", arguments: [48_000, 44_100])
    func reach(rate: Int) throws {
        let (canvas, encoded) = (Self.format(.float, rate, 0x3), Self.format(.planarFloat, 48_000, 0x3))
        let plain = Self.plan(canvas, encoded, sound: nil).canvasRange(from: 480_000, to: 672_000)
        let plan = Self.plan(canvas, encoded, sound: try Self.night())
        let range = plan.canvasRange(from: 480_000, to: 672_000)
        #expect(range.upperBound == plain.upperBound)
        let more = Double(plain.lowerBound - range.lowerBound) / Double(rate)
        #expect(abs(more - SoundChain.preroll.seconds) < 0.01)
        // Both rates have a sample there.
        #expect(rate == 48_000 || range.lowerBound % 147 == 0)
        let window = plan.packetWindow(from: 480_000, to: 672_000)
        #expect(window.lowerBound <= 480_000 - 144_000)
    }

    @Test(
        "is as long as in the source, in the encoder's channels and rate",
        arguments: [(48_000, 0x3, 0x3), (48_000, 0x3F, 0x3), (44_100, 0x3, 0x3), (44_100, 0x60F, 0x3)]
            as [(Int, UInt64, UInt64)]
    )
    func format(rate: Int, source: UInt64, target: UInt64) async throws {
        let (canvas, encoded) = (Self.format(.float, rate, source), Self.format(.planarFloat, 48_000, target))
        let plan = Self.plan(canvas, encoded, sound: try Self.night())
        let range = plan.canvasRange(from: 192_000, to: 240_000)
        let found = try await Self.samples(Self.film(range, canvas), plan)
        #expect(!found.isUntreated && found.planes == encoded.layout.count)
        #expect(abs(found.count - range.count * 48_000 / rate) <= 1)
        let wanted = (192_000..<240_000 as Range<Int64>).compactMap { found.values[$0] }
        #expect(wanted.count == 48_000)
        #expect(wanted.allSatisfy { abs($0) <= 0.9 } && wanted.contains { abs($0) > 0.05 })
    }

    @Test("a segment alone is as if the track had been changed from its start")
    func joints() async throws {
        let (canvas, encoded) = (Self.format(.float, 48_000, 0x3), Self.format(.planarFloat, 48_000, 0x3))
        let plan = Self.plan(canvas, encoded, sound: try Self.night())
        let whole = try await Self.samples(Self.film(-144_000..<480_000, canvas), plan)
        // Segments of 1.3 s, which begin in loud and in quiet passages.
        for start in stride(from: Int64(0), to: 374_400, by: 62_400) {
            let range = plan.canvasRange(from: start, to: start + 62_400)
            let found = try await Self.samples(Self.film(range, canvas), plan)
            let difference = (start..<start + 62_400).map { place in
                abs((found.values[place] ?? 9) - (whole.values[place] ?? -9))
            }
            #expect((difference.max() ?? 9) < 0.001)
        }
    }

    @Test("is served as in the source if a filter fails")
    func failure() async throws {
        let (canvas, encoded) = (Self.format(.float, 48_000, 0x3), Self.format(.planarFloat, 48_000, 0x3))
        let plan = Self.plan(canvas, encoded, sound: try Self.night())
        let film = Self.film(0..<48_000, canvas)
        let failed = try await Self.samples(film, plan, limiter: { _ in "there_is_no_such_filter" })
        let plain = try await Self.samples(film, Self.plan(canvas, encoded, sound: nil))
        #expect(failed.isUntreated && !plain.isUntreated)
        #expect(failed.values == plain.values && failed.values.count == 48_000)
    }
}
