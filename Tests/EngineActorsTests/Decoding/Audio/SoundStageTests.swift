// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
import Foundation
import Packaging
import Testing

@testable import Decoding

@Suite("Decoded audio that is changed", .timeLimit(.minutes(10)))
struct SoundStageTests {
    private static let thread = ReadingThread()
    private static let stereo = AudioFormat(samples: .float, rate: 48_000, layout: ChannelLayout(mask: 0x3))
    private static let short = AudioFormat(samples: .int16, rate: 44_100, layout: ChannelLayout(mask: 0x3))

    private static func chain() throws -> SoundChain {
        var treatment = SoundTreatment()
        treatment.isNightMode = true
        return try #require(SoundChain(treatment))
    }

    /// A quiet piece of `count` samples, all of one value.
    private static func piece(
        _ seconds: Double,
        _ count: Int,
        _ format: AudioFormat = stereo,
        isDiscontinuous: Bool = false
    ) -> TimedAudio {
        // About a thousandth of full scale.
        let bytes: [UInt8] =
            format.samples == .float
            ? (0..<4).map { UInt8(truncatingIfNeeded: Float(0.001).bitPattern >> (8 * $0)) } : [33, 0]
        let plane = (0..<count * format.layout.count).flatMap { _ in bytes }
        return TimedAudio(
            format: format,
            block: SampleBlock(planes: [plane], count: count),
            time: .seconds(seconds),
            isDiscontinuous: isDiscontinuous
        )
    }

    private static func first(_ audio: TimedAudio) -> Float {
        let bytes = audio.block.planes[0]
        return Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[$1]) << (8 * UInt32($1)) })
    }

    /// - Returns: what the stage returned for the pieces and at the end, and the failures that it reported.
    private static func run(
        _ pieces: [TimedAudio],
        limiter: @escaping @Sendable (Int) -> String = { SoundChain.limiter(rate: $0) }
    ) async throws -> (audio: [TimedAudio], failures: [String]) {
        let chain = try chain()
        return await thread.run {
            var failures: [String] = []
            var audio: [TimedAudio] = []
            var stage = SoundStage(chain, limiter: limiter) { failures.append($0) }
            for piece in pieces { audio += stage.apply(piece) }
            audio += stage.finish()
            return (audio, failures)
        }
    }

    @Test("keeps the times and lengths of its pieces, and becomes louder")
    func pieces() async throws {
        let pieces = [
            Self.piece(5, 4800, isDiscontinuous: true), Self.piece(5.1, 100), Self.piece(5.2, 24_000),
        ]
        let (audio, failures) = try await Self.run(pieces)
        #expect(failures.isEmpty)
        #expect(audio.map(\.time) == pieces.map(\.time) && audio.map(\.isDiscontinuous) == [true, false, false])
        #expect(audio.map(\.block.count) == [4800, 100, 24_000])
        for piece in audio {
            #expect(piece.format == Self.stereo && piece.block.planes[0].count == piece.block.count * 8)
        }
        // The gain is 12 dB: the resamplers of the limiter do not change constant samples, except at their start.
        #expect(abs(Self.first(audio[2]) / 0.001 - 3.98) < 0.05)
    }

    @Test("starts again after a gap and when the format changes, without losing the audio before that")
    func changes() async throws {
        let pieces = [
            Self.piece(0, 9600, isDiscontinuous: true), Self.piece(3, 9600, isDiscontinuous: true),
            Self.piece(3.2, 8820, Self.short), Self.piece(3.4, 8820, Self.short),
        ]
        let (audio, failures) = try await Self.run(pieces)
        #expect(failures.isEmpty && audio.map(\.time) == pieces.map(\.time))
        #expect(audio.map(\.block.count) == pieces.map(\.block.count))
        var floats = Self.short
        floats.samples = .float
        #expect(audio.map(\.format) == [Self.stereo, Self.stereo, floats, floats])
    }

    @Test("passes unchanged if the filters fail, and the failure is reported once")
    func failure() async throws {
        let pieces = (0..<3).map { Self.piece(Double($0) / 10, 4800, Self.short, isDiscontinuous: $0 == 0) }
        let (audio, failures) = try await Self.run(pieces, limiter: { _ in "there_is_no_such_filter" })
        #expect(failures.count == 1)
        #expect(audio.map(\.time) == pieces.map(\.time) && audio.map(\.format) == pieces.map(\.format))
        #expect(zip(audio, pieces).allSatisfy { $0.block.planes == $1.block.planes })
    }

    @Test("a session reports one failure, however many decoders fail")
    func reports() async throws {
        let chain = try Self.chain()
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let sound = SharedSound(chain: { $0 == 1 ? chain : nil }, onFailure: { report.yield($0) })
        #expect(sound.stage(for: 0) == nil)
        for _ in 0..<2 {
            let formats = try await Self.thread.run {
                var stage = try #require(sound.stage(for: 1, limiter: { _ in "there_is_no_such_filter" }))
                return stage.apply(Self.piece(0, 10, Self.short)).map(\.format)
            }
            #expect(formats == [Self.short])
        }
        report.finish()
        var count = 0
        for await _ in reports { count += 1 }
        #expect(count == 1)
    }
}
