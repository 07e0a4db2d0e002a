// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Decoding

@Suite("How a tap converts audio", .timeLimit(.minutes(10)))
struct TapMixerTests {
    /// A tenth of a second of silence in mono.
    private static func audio(_ start: Double, rate: Int = 48_000, isDiscontinuous: Bool = false) -> TimedAudio {
        TimedAudio(
            format: AudioFormat(samples: .float, rate: rate, layout: ChannelLayout(mask: 4)),
            block: SampleBlock(planes: [[UInt8](repeating: 0, count: rate / 10 * 4)], count: rate / 10),
            time: .seconds(start),
            isDiscontinuous: isDiscontinuous
        )
    }

    /// Everything that the mixer returns for the added audio: the time and the number of samples of a piece, `nil` for a
    /// gap.
    private static func outputs(_ mixer: inout TapMixer) throws -> [(time: MediaTime, count: Int)?] {
        var found: [(time: MediaTime, count: Int)?] = []
        while let output = try mixer.next() {
            switch output {
            case .samples(let piece): found.append((piece.time, piece.samples.count))
            case .gap: found.append(nil)
            }
        }
        return found
    }

    @Test("a gap comes before the first audio; continuous audio is converted without gaps")
    func continuous() throws {
        var mixer = TapMixer()
        mixer.add([Self.audio(5), Self.audio(5.1)])
        let outputs = try Self.outputs(&mixer)
        #expect(outputs.map { $0?.time } == [nil, .seconds(5), .seconds(5.1)])
        #expect(outputs.map { $0?.count } == [nil, 4800, 4800])
        mixer.add([Self.audio(5.2)])
        let later = try Self.outputs(&mixer)
        #expect(later.map { $0?.time } == [.seconds(5.2)])
    }

    @Test("a gap comes between audio before and after a discontinuity, and before the first audio after a reset")
    func gaps() throws {
        var mixer = TapMixer()
        mixer.add([Self.audio(5), Self.audio(7, isDiscontinuous: true), Self.audio(7.1)])
        let outputs = try Self.outputs(&mixer)
        #expect(outputs.map { $0?.time } == [nil, .seconds(5), nil, .seconds(7), .seconds(7.1)])
        mixer.add([Self.audio(7.2)])
        mixer.reset()
        mixer.add([Self.audio(9)])
        let later = try Self.outputs(&mixer)
        #expect(later.map { $0?.time } == [nil, .seconds(9)])
    }

    @Test("when the format changes, the samples that the resampler holds come before the gap")
    func rest() throws {
        var mixer = TapMixer()
        mixer.add([Self.audio(5, rate: 44_100), Self.audio(5.1)])
        let outputs = try Self.outputs(&mixer)
        try #require(outputs.count == 5)
        #expect(outputs[0] == nil && outputs[3] == nil)
        let (first, rest) = (try #require(outputs[1]), try #require(outputs[2]))
        #expect(first.time == .seconds(5) && first.count < 4800)
        #expect(rest.time == .seconds(5) + MediaTime(Int64(first.count), in: .hertz(48_000)))
        #expect(abs(first.count + rest.count - 4800) <= 1)
        #expect(outputs[4]?.time == .seconds(5.1) && outputs[4]?.count == 4800)
        let end = try mixer.finish()
        #expect(end == nil)
    }
}
