// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Bindings
@testable import Reading
@testable import Subtitles
@testable import Packaging

@Suite("Subtitle packets by segment", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct UnitReaderTests {
    /// Reads units on a thread that may block.
    private actor Reading {
        private let executor = ThreadExecutor(name: "test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }
        private let source: OpenedSource
        private let units: SubtitleUnits
        private var reader: UnitReader?

        init(_ clip: SubtitledClip) {
            source = clip.source
            units = clip.units
        }

        func marks(of unit: Int) throws -> [PacketMark] {
            let reader = try reader ?? UnitReader(source, streams: [2], interrupt: InterruptFlag())
            self.reader = reader
            return try reader.packets(of: unit, units).map(PacketMark.init)
        }
    }

    @Test("each packet is in one segment, whatever the order of reading", arguments: ["clip.mkv", "clip.mp4"])
    func pure(name: String) async throws {
        let clip = try await SubtitledClip(name)
        defer { clip.remove() }
        let linear = Reading(clip)
        var expected: [[PacketMark]] = []
        for unit in 0..<clip.units.count { expected.append(try await linear.marks(of: unit)) }
        // MP4 has an empty sample between two cues.
        let cues = expected.joined().filter { $0.bytes.count > 2 }
        #expect(cues.count == SubtitledClip.cueCount)
        #expect(Set(cues).count == cues.count)
        var random = SplitMix(state: 3)
        for _ in 0..<60 {
            let unit = Int.random(in: 0..<expected.count, using: &random)
            #expect(try await linear.marks(of: unit) == expected[unit])
        }
        let backwards = Reading(clip)
        for unit in expected.indices.reversed() { #expect(try await backwards.marks(of: unit) == expected[unit]) }
    }

    @Test("packets delivered by playback equal those that the reader reads")
    func harvest() async throws {
        let clip = try await SubtitledClip("clip.mkv")
        defer { clip.remove() }
        let reading = Reading(clip)
        var random = SplitMix(state: 8)
        let count = clip.units.count
        let order = Array(0..<count) + (0..<30).map { _ in Int.random(in: 0..<count, using: &random) }
        var harvested = 0
        for index in order {
            let material = try await clip.demuxer.read(
                segment: index,
                of: clip.plan,
                trackEnds: clip.source.trackEnds,
                active: [0, 1],
                subtitles: [2]
            )
            guard let found = material.subtitles else { continue }
            harvested += 1
            #expect(try await found.map(PacketMark.init) == reading.marks(of: index), "segment \(index)")
        }
        // Part of the first segment was read before its subtitles were requested.
        #expect(harvested >= order.count - 3)
    }

    @Test("a track that cannot be decoded does not keep other tracks from packets that playback delivers")
    func besideBroken() async throws {
        let clip = try await SubtitledClip("clip.mkv")
        defer { clip.remove() }
        let windows = Locked<[CueWindow]>([])
        let decoder = SubtitleDecoder(
            source: clip.source(naming: CodecID(rawValue: "unknown")),
            plan: clip.plan,
            pressure: PlaybackPressure(),
            onWindow: { window in windows.withLock { $0.append(window) } }
        )
        var good = try #require(clip.source.media.subtitleTracks.first)
        good.id = 7
        await decoder.add([good])
        await decoder.select([2, 7])
        var packets: [Packet]?
        for index in 1...2 {
            let ends = clip.source.trackEnds
            packets = try await clip.demuxer.read(
                segment: index,
                of: clip.plan,
                trackEnds: ends,
                active: [0],
                subtitles: [2]
            )
            .subtitles
        }
        await decoder.harvest(HarvestedPackets(segment: 2, streams: [2], packets: try #require(packets)))
        let last = try #require(windows.withLock { $0.last })
        #expect(last.cues.map(\.track).contains(7))
        #expect(last.failures[2]?.code == .noPlayableStream)
        await decoder.stop()
    }

    @Test("the cues of a segment are those on screen during it", arguments: ["clip.mkv", "clip.mp4"])
    func inSegment(name: String) async throws {
        let clip = try await SubtitledClip(name)
        defer { clip.remove() }
        let decoder = SubtitleDecoder(
            source: clip.source,
            plan: clip.plan,
            pressure: PlaybackPressure(),
            onWindow: { _ in }
        )
        for index in (0..<clip.units.count).reversed() {
            let start = clip.units.start(of: index)
            let end = clip.units.endTime(of: index) ?? .seconds(100)
            let cues = try await decoder.cues(of: 2, inSegment: index)
            let expected = (0..<SubtitledClip.cueCount).filter { number in
                .seconds(Double(number) + 0.3) < end && .seconds(Double(number) + 0.9) > start
            }
            let texts = cues.map { if case .text(let text) = $0.content { text.plain } else { "" } }
            #expect(texts == expected.map { "cue \($0)" }, "segment \(index)")
        }
        await #expect(throws: EngineError.self) { try await decoder.cues(of: 7, inSegment: 0) }
        await decoder.stop()
    }
}
