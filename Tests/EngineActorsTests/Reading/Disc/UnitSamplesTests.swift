// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
@testable import Packaging
@testable import Reading
import Testing

@Suite("Audio that begins in a later part of a title is found")
struct UnitSamplesTests {
    private static let second: Int64 = 90_000

    // MARK: DVD

    /// Units of half a second and four sectors: navigation and a picture, then one pack of each of two streams.
    ///
    /// - Parameter starts: by stream, the number of the unit from which on it has audio. Before, its packs are blank.
    private static func objects(_ count: Int, beginning starts: [Int: Int]) -> [UInt8] {
        (0..<count).flatMap { number -> [UInt8] in
            let time = number * 45_000
            var unit = DVDBytes.unit(start: time, end: time + 45_000, time: time, payload: [0, 0, 1, 0xB3])
            let audible = (0..<2).map { number >= starts[0x80 + $0] ?? .max }
            DVDBytes.state(audio: audible.map { $0 ? 2 : 0x3FFF }, inUnitAt: 0, of: &unit)
            for (stream, isAudible) in audible.enumerated() {
                unit += isAudible ? DVDBytes.audio(0x80 + stream, at: Int64(time)) : BluRayBytes.zeros(2048)
            }
            return unit
        }
    }

    /// A title of cells with ten units each, in video objects of their own.
    private static func built(_ cells: Int, _ source: ScriptedSource, audio: [Int]) throws -> CellBuilder.Built {
        let chain = DVDBytes.Chain(
            cells: (0..<cells).map { .init(object: 1 + $0, sectors: $0 * 40...$0 * 40 + 39, time: [0, 5, 0x40]) }
        )
        let set = try TitleSet(
            DVDBytes.set([[(1, 1)]], [chain], pieces: [], units: (0..<cells * 10).map { $0 * 4 })
        )
        var builder = CellBuilder(set, source.file, InterruptFlag())
        for cell in try set.chain(1).cells { builder.add(cell) }
        return try builder.finish("/disc", subtitles: [], audio: audio)
    }

    @Test("audio that begins within a cell is taken from its first unit on", arguments: [1, 9, 10, 14, 29])
    func audioFromItsFirstUnit(start: Int) throws {
        let source = ScriptedSource(Self.objects(30, beginning: [0x80: start]))
        let built = try Self.built(3, source, audio: [0x80, 0x81])
        let part = start / 10
        #expect(built.samples.map(\.stretch) == [part])
        let units = start..<min(start + (start % 10 == 0 ? 4 : 3), (part + 1) * 10)
        // Of half a second each; 0.75 s are taken.
        let expected = units.prefix(2).flatMap { DVDBytes.audio(0x80, at: Int64($0) * 45_000) }
        let title = built.title
        let range = try #require(built.samples.first?.range)
        #expect(try title.cursor(InterruptFlag()).read(at: range.lowerBound, count: Int(range.upperBound)) == expected)
        #expect(built.stretches[0].position == range.upperBound)
        #expect(title.content.timeline.sampledStretch(at: 0) == built.stretches[part])
    }

    @Test("audio that the first unit has, or no unit, is not searched for in the media")
    func noSamples() throws {
        let source = ScriptedSource(Self.objects(20, beginning: [0x80: 0]))
        #expect(try Self.built(2, source, audio: [0x80, 0x81]).samples.isEmpty)
        #expect(try Self.built(2, source, audio: []).stretches[0].position == 0)
        // Without search information, nothing is known.
        let unit = DVDBytes.unit(start: 0, end: 45_000, time: 0, payload: [0, 0, 1, 0xB3]) + BluRayBytes.zeros(4096)
        let unknown = ScriptedSource((0..<20).flatMap { _ in unit })
        #expect(try Self.built(2, unknown, audio: [0x80]).samples.isEmpty)
    }

    @Test("each stream is searched for by itself")
    func streamsAreIndependent() throws {
        let source = ScriptedSource(Self.objects(30, beginning: [0x80: 25, 0x81: 12]))
        let built = try Self.built(3, source, audio: [0x80, 0x81])
        #expect(built.samples.map(\.stretch) == [2, 1])
        #expect(built.samples[0].range.upperBound == built.samples[1].range.lowerBound)
    }

    // MARK: Blu-ray

    private static func part(_ clip: [UInt8], _ stated: [Int], has streams: Set<Int>?) -> ClipSamples.Part {
        ClipSamples.Part(
            range: .init(entry: second, duration: second),
            clip: DiscClip(file: ScriptedSource(clip).file, entryPoints: [:], streams: streams),
            streams: stated.map { .init(pid: $0, kind: $0 < 0x1100 ? .video : .audio, language: "", rate: 0) }
        )
    }

    @Test("clips are not read unless the disc states streams that the first one lacks")
    func clipsThatAreNotRead() throws {
        let streams = [0x1011, 0x1100]
        for known in [Set(streams), nil] {
            let parts = [Self.part([], streams, has: known), Self.part([], streams, has: known)]
            let samples = try ClipSamples(parts, video: 0x1011, InterruptFlag())
            #expect(samples.head.byteCount == 0 && samples.media == Set(streams))
        }
    }

    @Test("streams that the disc states and no clip has are not waited for")
    func streamsThatNoClipHas() throws {
        let streams = [0x1011, 0x1100]
        let clip = BluRayBytes.zeros(192 * 10)
        let parts = [Self.part(clip, streams, has: [0x1011]), Self.part(clip, streams, has: nil)]
        let samples = try ClipSamples(parts, video: 0x1011, InterruptFlag())
        #expect(samples.head.samples.isEmpty && samples.media == [0x1011])
    }
}
