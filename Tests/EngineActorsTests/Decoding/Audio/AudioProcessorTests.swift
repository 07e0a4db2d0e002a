// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Foundation
import Testing

@testable import Decoding

@Suite("Audio on its way to a sink", .serialized, .timeLimit(.minutes(10)))
struct AudioProcessorTests {
    private static let stereo = ChannelLayout(mask: 0x3)
    private static let surround: [ChannelLayout] = [0x3, 0x7, 0x33, 0x3F, 0x60F, 0x70F, 0x63F].map {
        ChannelLayout(mask: $0)
    }

    private func packed(_ layout: ChannelLayout, rate: Int = 48_000) -> AudioFormat {
        AudioFormat(samples: .float, rate: rate, layout: layout)
    }

    /// Entries of 20 ms; `sample` returns the value for a sample index and a channel.
    private func entries(
        _ seconds: Double,
        _ format: AudioFormat,
        _ sample: (Int, Int) -> Float
    ) -> [AudioQueue.Entry] {
        var queue = AudioQueue(from: .zero, lap: 1)
        let length = format.rate / 50
        for block in 0..<Int((seconds * 50).rounded()) {
            var plane = [UInt8](repeating: 0, count: length * format.stride)
            var place = 0
            for index in block * length..<(block + 1) * length {
                for channel in 0..<format.layout.count {
                    let bits = sample(index, channel).bitPattern
                    plane[place] = UInt8(truncatingIfNeeded: bits)
                    plane[place + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                    plane[place + 2] = UInt8(truncatingIfNeeded: bits >> 16)
                    plane[place + 3] = UInt8(truncatingIfNeeded: bits >> 24)
                    place += 4
                }
            }
            queue.append(
                TimedAudio(
                    format: format,
                    block: SampleBlock(planes: [plane], count: length),
                    time: .zero,
                    isDiscontinuous: block == 0
                )
            )
        }
        return queue.take(.seconds(1000))
    }

    /// A sample of a sine at 48 kHz.
    private func tone(_ frequency: Int, _ index: Int) -> Float {
        let turns = Double(index) * Double(frequency) / 48_000
        return Float(sin(turns * 2 * Double.pi))
    }

    private func floats(_ pieces: [AudioPiece]) -> [Float] {
        var result: [Float] = []
        for piece in pieces {
            let bytes = piece.audio.block.planes[0]
            for place in stride(from: 0, to: bytes.count, by: 4) {
                let (low, high) = (UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8, UInt32(bytes[place + 2]))
                result.append(Float(bitPattern: low | high << 16 | UInt32(bytes[place + 3]) << 24))
            }
        }
        return result
    }

    private func settings(_ format: AudioFormat, rate: Double = 1, gain: Double = 1) -> AudioSettings {
        AudioSettings(format: format, rate: rate, gain: gain, generation: 1)
    }

    @Test("every channel of every layout keeps its position", arguments: surround)
    func channels(layout: ChannelLayout) async {
        // Each channel has its own tone.
        let format = packed(layout)
        let input = entries(0.04, format) { index, channel in tone(440 * (channel + 1), index) }
        let output = await AudioProcessor().process(input, settings(format))
        let expected = (0..<1920).flatMap { index in (0..<layout.count).map { tone(440 * ($0 + 1), index) } }
        #expect(floats(output) == expected)
    }

    @Test(
        "side and back surround channels replace each other",
        arguments: [(UInt64(0x60F), UInt64(0x3F)), (0x3F, 0x60F)]
    )
    func sideAndBack(source: UInt64, target: UInt64) async {
        let input = entries(0.04, packed(ChannelLayout(mask: source))) { _, channel in Float(channel + 1) / 10 }
        let output = await AudioProcessor().process(input, settings(packed(ChannelLayout(mask: target))))
        let last = floats(output).suffix(6)
        for (level, expected) in zip(last, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] as [Float]) {
            #expect(abs(level - expected) < 0.001)
        }
    }

    @Test("a back pair is heard at the sides if the sink has no other pair", arguments: [UInt64(0x3F), 0x13F])
    func backInSides(source: UInt64) async {
        let layout = ChannelLayout(mask: source)
        let input = entries(0.04, packed(layout)) { _, channel in Float(channel + 1) / 10 }
        // Front left, right and center, LFE, back center, sides.
        let output = await AudioProcessor().process(input, settings(packed(ChannelLayout(mask: 0x70F))))
        let center: Float = layout.count == 7 ? 0.7 : 0
        for (level, expected) in zip(floats(output).suffix(7), [0.1, 0.2, 0.3, 0.4, center, 0.5, 0.6]) {
            #expect(abs(level - expected) < 0.001)
        }
    }

    @Test(
        "6.1 and 7.1 to 5.1: no channel is lost, and the front channels and the LFE channel keep their positions",
        arguments: [0x70F, 0x63F]
    )
    func fewerChannels(source: Int) async throws {
        let layout = ChannelLayout(mask: UInt64(source))
        for channel in 0..<layout.count {
            let input = entries(0.04, packed(layout)) { _, index in index == channel ? 1 : 0 }
            let output = await AudioProcessor().process(input, settings(packed(ChannelLayout(mask: 0x60F))))
            #expect(floats(output).suffix(6).reduce(0, +) > 0.2, "channel \(channel) of \(layout.name)")
            if channel < 4 {
                #expect(floats(output).suffix(6).enumerated().allSatisfy { ($1 > 0.1) == ($0 == channel) })
            }
        }
    }

    @Test("a stereo downmix of 5.1 has the standard coefficients, and all channels together do not clip")
    func downmix() async {
        let layout = ChannelLayout(mask: 0x3F)
        var gains: [Float] = []
        for channel in 0..<6 {
            let input = entries(0.04, packed(layout)) { _, index in index == channel ? 1 : 0 }
            let output = await AudioProcessor().process(input, settings(packed(Self.stereo)))
            gains.append(floats(output).suffix(2)[floats(output).count - 2])
        }
        let (front, center, back) = (gains[0], gains[2], gains[4])
        #expect(gains[1] == 0)
        #expect(abs(center / front - 0.7071) < 0.001)
        #expect(abs(back / front - 0.7071) < 0.001)
        // The LFE channel is omitted, as is usual.
        #expect(gains[3] == 0)
        #expect(abs(gains.reduce(0, +) - 1) < 0.001)
    }

    @Test("mono is played on both sides, and stereo is mixed evenly to mono")
    func monoAndStereo() async {
        let mono = ChannelLayout(mask: 0x4)
        let wide = await AudioProcessor().process(
            entries(0.04, packed(mono)) { _, _ in 0.5 },
            settings(packed(Self.stereo))
        )
        let pair = floats(wide).suffix(2)
        #expect(pair.first == pair.last)
        #expect((pair.first ?? 0) > 0.3)
        let narrow = await AudioProcessor().process(
            entries(0.04, packed(Self.stereo)) { _, channel in channel == 0 ? 1 : 0 },
            settings(packed(mono))
        )
        #expect(floats(narrow).last == 0.5)
    }

    @Test("volume and mute change without a click", arguments: [(1.0, 0.0), (0, 1), (1, 0.3), (0.2, 0.9)])
    func ramp(from: Double, to: Double) async {
        let processor = AudioProcessor()
        let format = packed(Self.stereo)
        let input = entries(0.2, format) { _, _ in 1 }
        let before = await processor.process(Array(input.prefix(5)), settings(format, gain: from))
        let after = await processor.process(Array(input.suffix(5)), settings(format, gain: to))
        let samples = floats(before + after)
        #expect(samples.first == Float(from))
        #expect(samples.last == Float(to))
        let steps = zip(samples, samples.dropFirst()).map { abs($1 - $0) }
        // A change from full volume to silence takes 20 ms: 960 samples.
        #expect((steps.max() ?? 1) <= 1 / 960 + 0.0001)
    }

    @Test(
        "other playback rates keep the pitch and the times of samples",
        arguments: [0.25, 0.5, 0.75, 1.25, 1.5, 2, 3, 4]
    )
    func tempo(rate: Double) async {
        let processor = AudioProcessor()
        let format = packed(ChannelLayout(mask: 0x4))
        let input = entries(3, format) { index, _ in tone(440, index) }
        let output = await processor.process(input, settings(format, rate: rate))
        let samples = floats(output)
        let length = Double(samples.count) / 48_000
        #expect(abs(length - 3 / rate) < 0.25)
        let middle = Array(samples.dropFirst(samples.count / 4).prefix(samples.count / 2))
        let crossings = zip(middle, middle.dropFirst()).count { $0 < 0 && $1 >= 0 }
        let pitch = Double(crossings) / (Double(middle.count) / 48_000)
        #expect(abs(pitch - 440) < 5, "\(pitch) Hz")
        #expect(abs((output.last?.audio.end.seconds ?? 0) - length * rate) < 0.001)
    }

    @Test("switching to another rate and back loses no time and never steps back", arguments: [0.5, 1.25, 2, 3])
    func changes(rate: Double) async {
        let processor = AudioProcessor()
        let format = packed(ChannelLayout(mask: 0x4))
        let input = entries(6, format) { index, _ in tone(440, index) }
        _ = await processor.process(Array(input[0..<100]), settings(format))
        let fast = await processor.process(Array(input[100..<200]), settings(format, rate: rate))
        let slow = await processor.process(Array(input[200..<300]), settings(format))
        #expect(fast.first?.audio.time == .seconds(2))
        let normal = slow.drop { $0.audio.rate != 1 }
        #expect(normal.first?.audio.time == .seconds(4))
        #expect(abs((slow.last?.audio.end ?? .zero).seconds - 6) < 0.0001)
        // The samples that the filter held at the change of rate come out first.
        let rest = slow.prefix { $0.audio.rate != 1 }
        let end = (rest.last?.audio.end ?? .zero).seconds
        #expect(end > 3.95 && end <= 4.0001, "\(end) s")
    }

    @Test("another sample rate changes neither the length nor the times")
    func resampling() async {
        let processor = AudioProcessor()
        let source = packed(Self.stereo, rate: 44_100)
        let output = await processor.process(entries(1, source) { _, _ in 0.25 }, settings(packed(Self.stereo)))
        let end = output.last?.audio.end ?? .zero
        #expect(abs(end.seconds - 1) < 0.002)
        for (piece, next) in zip(output, output.dropFirst()) {
            #expect(abs((next.audio.time - piece.audio.end).microseconds) <= 1)
        }
    }

    @Test("audio after silence begins on time at other rates too", arguments: [1.25, 1.5])
    func onsets(rate: Double) async throws {
        let mono = packed(ChannelLayout(mask: 0x4))
        let period = 23_376
        let input = entries(20, mono) { index, _ in index % period < 3840 ? 0.8 * tone(1000, index % period) : 0 }
        let heard = floats(await AudioProcessor().process(input, settings(mono, rate: rate)))
        var errors: [Double] = []
        var quietUntil = 0
        for (index, sample) in heard.enumerated() where abs(sample) > 0.1 {
            if index > quietUntil {
                let place = Double(index) * rate / Double(period)
                errors.append((place - place.rounded()) * Double(period) / 48_000)
            }
            quietUntil = index + 2400
        }
        #expect(errors.count > 35)
        let mean = errors.reduce(0, +) / Double(errors.count)
        // A single onset may be off by the range in which the filter searches for similar samples.
        #expect(abs(mean) < 0.006, "\(mean) s in the middle")
    }
}
