// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
@testable import Packaging
import Testing

@Suite("Packets in front of a disc's title make its later streams known")
struct TitleSamplesTests {
    private typealias Bytes = BluRayBytes

    private static let second: Int64 = 90_000
    private static let entry: Int64 = 10 * second
    private static let tableID = 0x100

    // MARK: Blu-ray

    /// A section in a packet of 192 bytes.
    private static func table(_ pid: Int, _ section: [UInt8]) -> [UInt8] {
        let whole = section + Bytes.big(checksum(section), 4)
        let head: [UInt8] = [0, 0, 0, 0, 0x47, UInt8(0x40 | pid >> 8), UInt8(pid & 0xFF), 0x10, 0]
        return head + whole + [UInt8](repeating: 0xFF, count: 192 - head.count - whole.count)
    }

    /// The CRC of program tables (ISO/IEC 13818-1, annex A).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte) << 24
            for _ in 0..<8 { value = value & 1 << 31 == 0 ? value << 1 : value << 1 ^ 0x04C1_1DB7 }
        }
        return value
    }

    private static func tables(_ streams: [(type: UInt8, pid: Int)]) -> [UInt8] {
        let programs: [UInt8] = [0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1] + Bytes.big(0xE000 | tableID, 2)
        let entries = streams.flatMap { stream -> [UInt8] in
            [stream.type] + Bytes.big(0xE000 | stream.pid, 2) + [0xF0, 0]
        }
        var map: [UInt8] = [2] + Bytes.big(0xB000 | 13 + entries.count, 2)
        map += [0, 1, 0xC1, 0, 0] + Bytes.big(0xF011, 2) + [0xF0, 0] + entries
        return table(0, programs) + table(tableID, map)
    }

    /// A PES packet of 300 bytes, which two packets hold.
    private static func unit(_ pid: Int, at time: Int64) -> [UInt8] {
        Bytes.unit(time: time, pid: pid, payload: [UInt8](repeating: 7, count: 286))
    }

    private static func packetCount(_ sample: TransportSample, _ pid: Int) -> Int {
        stride(from: 0, to: sample.bytes.count, by: 192).filter { start in
            Int(sample.bytes[start + 5] & 0x1F) << 8 | Int(sample.bytes[start + 6]) == pid
        }.count
    }

    private static let both: [(type: UInt8, pid: Int)] = [
        (0x1B, 0x1011), (0x81, 0x1100), (0x81, 0x1101), (0x90, 0x1200),
    ]

    /// A clip of `count` units of 0.1 s, in which each picture is followed by audio of two streams.
    private static func clip(_ count: Int, streams: [(type: UInt8, pid: Int)] = both) -> [UInt8] {
        tables(streams)
            + (0..<Int64(count)).flatMap { number -> [UInt8] in
                [0x1011, 0x1100, 0x1101].flatMap { unit($0, at: entry + number * 9_000) }
            }
    }

    @Test("a sample has the tables and the first audio of the wanted streams")
    func sampleOfAClip() {
        let sample = TransportSample(Self.clip(20), audio: [0x1101], listed: [0x1200, 0x1201], from: Self.entry)
        #expect(sample.streams == [0x1101, 0x1200] && sample.isComplete)
        #expect(Self.packetCount(sample, 0) == 1 && Self.packetCount(sample, Self.tableID) == 1)
        // Those that begin in the first 0.75 s.
        #expect(Self.packetCount(sample, 0x1101) == 8 * 2)
        #expect(sample.bytes.count == 192 * 18)
    }

    @Test("packets stay in the order of the clip, and each unit is whole")
    func orderOfPackets() {
        let clip = Self.clip(3)
        let sample = TransportSample(clip, audio: [0x1100, 0x1101], listed: [], from: Self.entry)
        #expect(!sample.isComplete)
        // The last unit of each stream may not be whole, because none follows.
        let expected =
            Self.tables(Self.both)
            + (0..<Int64(2)).flatMap { number in
                [0x1100, 0x1101].flatMap { Self.unit($0, at: Self.entry + number * 9_000) }
            }
        #expect(sample.bytes == expected)
    }

    @Test("audio from before the beginning of the part is left out")
    func audioBeforeThePart() {
        let sample = TransportSample(Self.clip(20), audio: [0x1100], listed: [], from: Self.entry + 4 * 9_000)
        #expect(sample.isComplete)
        // From 0.1 s before the part on.
        #expect(Self.packetCount(sample, 0x1100) == (1 + 8) * 2)
        #expect(TransportUnit(Array(sample.bytes.dropFirst(384)), pid: 0x1100)?.time == Self.entry + 3 * 9_000)
    }

    @Test("times may wrap")
    func wrappingTimes() {
        let wrap: Int64 = 1 << 33
        let clip =
            Self.tables(Self.both)
            + (0..<20).flatMap { Self.unit(0x1100, at: (wrap - 18_000 + $0 * 9_000) % wrap) }
        let sample = TransportSample(clip, audio: [0x1100], listed: [], from: wrap - 18_000)
        #expect(sample.isComplete && Self.packetCount(sample, 0x1100) == 8 * 2)
    }

    @Test("streams that the program or the clip lacks are not found")
    func streamsThatAreNotThere() {
        let unlisted = TransportSample(
            Self.clip(20, streams: [(0x1B, 0x1011)]),
            audio: [0x1100],
            listed: [0x1200],
            from: Self.entry
        )
        #expect(unlisted.streams.isEmpty && unlisted.bytes.isEmpty && unlisted.isComplete)
        let silent = Self.tables(Self.both) + Self.unit(0x1011, at: Self.entry)
        let listed = TransportSample(silent, audio: [0x1100], listed: [], from: Self.entry)
        #expect(listed.streams.isEmpty && listed.bytes.isEmpty && !listed.isComplete)
        let tableless = TransportSample(Self.unit(0x1100, at: 0), audio: [0x1100], listed: [], from: 0)
        #expect(tableless.streams.isEmpty && !tableless.isComplete)
    }

    @Test("damaged bytes end the search")
    func damagedClip() {
        var clip = Self.clip(20)
        clip.replaceSubrange(192 * 14..<clip.count, with: Bytes.zeros(clip.count - 192 * 14))
        let sample = TransportSample(clip, audio: [0x1100], listed: [], from: Self.entry)
        #expect(Self.packetCount(sample, 0x1100) == 2 && !sample.isComplete)
        #expect(TransportSample([], audio: [1], listed: [2], from: 0).bytes.isEmpty)
        #expect(TransportSample(Bytes.zeros(1000), audio: [1], listed: [2], from: 0).bytes.isEmpty)
    }

    @Test("clip information names the streams of its clip")
    func streamsOfAClip() throws {
        let streams = [0x1011, 0x1100]
        #expect(try ClipInformation(Bytes.clip([.init(time: 0, packet: 0)], streams: streams)).streams == Set(streams))
        #expect(try ClipInformation(Bytes.clip([.init(time: 0, packet: 0)])).streams == nil)
        // A table that ends early, and one without streams.
        let bytes = Bytes.clip([], streams: streams)
        #expect(try ClipInformation(bytes).entryPoints.values.allSatisfy(\.isEmpty))
        var damaged = bytes
        damaged.replaceSubrange(12..<16, with: Bytes.big(bytes.count - 4, 4))
        #expect(try ClipInformation(damaged).streams == nil)
        #expect(try ClipInformation(Bytes.clip([], streams: [])).streams == nil)
    }

    // MARK: DVD

    private static func packs(_ stream: Int, _ times: [Int64?]) -> [UInt8] {
        times.flatMap { DVDBytes.audio(stream, at: $0) }
    }

    @Test("a sample of a DVD has packs of one stream, from its first time on", arguments: [0x80, 0x89, 0xA2, 0x1C0])
    func packsOfAStream(stream: Int) {
        let others = DVDBytes.unit(start: 0, end: 45_000, time: 0, payload: [0, 0, 1, 0xB3]) + Self.packs(0x81, [0])
        let wanted = Self.packs(stream, [0, nil, 30_000, 60_000, 67_499])
        let bytes = others + Self.packs(stream, [nil]) + wanted + others + Self.packs(stream, [67_500, 90_000])
        #expect(PackSample.bytes(bytes, of: stream) == wanted)
        #expect(PackSample.bytes(others, of: stream).isEmpty)
        #expect(PackSample.bytes([], of: stream).isEmpty && PackSample.bytes(Bytes.zeros(4096), of: stream).isEmpty)
    }

    @Test("a unit states which audio it has")
    func audioOfAUnit() throws {
        var unit = DVDBytes.unit(start: 0, end: 45_000, time: 0, payload: [0, 0, 1, 0xB3])
        #expect(try #require(VideoUnit(unit)).hasAudio == nil)
        // Forward, backward, no more audio (both directions), and no stream.
        DVDBytes.state(audio: [7, 0x8003, 0x3FFF, 0xBFFF, 0], inUnitAt: 0, of: &unit)
        #expect(try #require(VideoUnit(unit)).hasAudio == [true, true] + [Bool](repeating: false, count: 6))
    }

    // MARK: Clock

    @Test("samples have the clock of their part, and those of missing parts have none")
    func clockOfSamples() {
        let stretches = [
            TitleTimeline.Stretch(position: 1000, entry: 0, start: 0, duration: 500),
            TitleTimeline.Stretch(position: 5000, entry: 90_000, start: 500, duration: 500),
        ]
        let timeline = TitleTimeline(
            stretches,
            samples: [.init(range: 100..<200, stretch: 1), .init(range: 200..<1000, stretch: 2)]
        )
        #expect(timeline.start == 1000)
        #expect(timeline.sampledStretch(at: 99) == nil && timeline.sampledStretch(at: 200) == nil)
        #expect(timeline.sampledStretch(at: 100) == stretches[1] && timeline.sampledStretch(at: 199) == stretches[1])
        #expect(timeline.samples.count == 1)
    }
}
