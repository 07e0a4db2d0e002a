// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
@testable import Packaging
import Testing

/// The files of a DVD, intact and damaged.
struct DVDFilesTests {
    private typealias Bytes = DVDBytes

    private static let chains = [
        Bytes.Chain(
            cells: [.init(sectors: 0...99), .init(number: 2, sectors: 100...199, time: [0x00, 0x01, 0xE9])],
            programs: [1, 2],
            audio: [0x8100, 0x8000, 0],
            subtitles: [0x8001_0203]
        ),
        Bytes.Chain(
            cells: [
                .init(object: 2, sectors: 200...299), .init(object: 3, sectors: 300...600, mode: 1),
                .init(object: 4, sectors: 310...610, mode: 2), .init(object: 5, sectors: 320...620, mode: 3),
                .init(object: 6, sectors: 700...700),
            ]
        ),
    ]

    private static let set = Bytes.set(
        [[(1, 1), (1, 2), (2, 1)], [(2, 1)]],
        chains,
        pieces: [(3, 1, 400...409), (1, 1, 0...99), (3, 1, 300...309)],
        units: [0, 50, 100, 300]
    )

    @Test
    func managerNamesTheTitles() throws {
        let manager = try VideoManager(Bytes.manager([(1, 1, 1), (1, 2, 3), (12, 1, 0)]))
        #expect(manager.titles.map(\.set) == [1, 1, 12])
        #expect(manager.titles.map(\.number) == [1, 2, 1])
        #expect(manager.titles.map(\.angleCount) == [1, 3, 1])
    }

    @Test
    func setDescribesItsStreamsAndTitles() throws {
        let set = try TitleSet(Self.set)
        #expect(set.size.width == 720 && set.size.height == 576)
        #expect(!set.isWide)
        #expect(set.audio.map(\.language) == ["en", "de", ""])
        #expect(set.audio.map(\.base) == [0x80, 0xA0, 0x88])
        #expect(set.subtitles == [.init(language: "fr", base: 0x20, dispositions: [])])
        #expect(set.chapters.map { $0.map(\.chain) } == [[1, 1, 2], [2]])
        #expect(set.chapters[0].map(\.program) == [1, 2, 1])
        // The pieces of an interleaved cell are in order.
        #expect(set.pieces.map(\.sectors) == [0..<100, 300..<310, 400..<410])
        #expect(set.units == [0, 50, 100, 300])
        #expect(throws: PackagingError.self) { _ = try set.chain(0) }
        #expect(throws: PackagingError.self) { _ = try set.chain(3) }
    }

    @Test
    func setSaysWhatStreamsAreFor() throws {
        var bytes = Self.set
        bytes[0x20C + 5] = 3
        bytes[0x256 + 5] = 5
        let set = try TitleSet(bytes)
        #expect(set.audio.map(\.dispositions) == [[], ["comment"], []])
        #expect(set.subtitles.map(\.dispositions) == [["captions"]])
    }

    @Test
    func chainSaysWhatIsPlayed() throws {
        let chain = try TitleSet(Self.set).chain(1)
        #expect(chain.cells.map(\.sectors) == [0..<100, 100..<200])
        // 1:23 and 12 frames of 25 a second; 1 s and 29 frames of 30.
        let durations: [Int64] = [83 * 90_000 + 12 * 3600, 90_000 + 29 * 3003]
        #expect(chain.cells.map(\.duration) == durations)
        #expect(chain.programs == [0, 1])
        #expect(chain.audio.prefix(3) == [1, 0, nil])
        #expect(chain.subtitles.prefix(2) == [.init(narrow: 0, wide: 1), nil])
        #expect(chain.palette[3] == [3, 0x80, 0x7F])
    }

    @Test
    func picturesStayAsLongAsTheDiscSays() throws {
        func stills(_ cells: [Bytes.Cell], chain still: UInt8) throws -> [ProgramChain.Still] {
            let chain = Bytes.Chain(cells: cells, still: still)
            return try TitleSet(Bytes.set([[(1, 1)]], [chain], pieces: [], units: [])).chain(1).cells.map(\.still)
        }
        let plain = try stills([.init(still: 3), .init(still: 255), .init(still: 0)], chain: 0)
        #expect(plain.map(\.seconds) == [3, ProgramChain.Still.longest, 0])
        #expect(plain.map(\.isEndless) == [false, true, false])
        #expect(plain[0].duration == 270_000)
        // The chain's still follows its last cell, in each angle; nothing follows an endless still.
        let angles: [Bytes.Cell] = [.init(still: 1), .init(mode: 1, still: 2), .init(mode: 3, still: 255)]
        #expect(try stills(angles, chain: 4).map(\.seconds) == [1, 6, ProgramChain.Still.longest])
        let last = try stills([.init(still: 1), .init(still: 2)], chain: 255)
        #expect(last.map(\.isEndless) == [false, true])
        #expect(last.map(\.seconds) == [1, 2 + ProgramChain.Still.longest])
    }

    @Test(arguments: [(1, [0, 1, 4]), (2, [0, 2, 4]), (3, [0, 3, 4]), (4, [0, 1, 4])])
    func oneAngleIsPlayed(angle: Int, places: [Int]) throws {
        let chain = try TitleSet(Self.set).chain(2)
        #expect(chain.cells.map(\.angle) == [nil, 1, 2, 3, nil])
        #expect(chain.places(angle: angle) == places)
    }

    @Test
    func unitSaysWhenItCanBeEntered() throws {
        let payload: [UInt8] = [0, 0, 1, 0xB3, 9]
        let bytes = Bytes.unit(start: 90_000, end: 135_000, time: (1 << 32) + 97_200, payload: payload)
        let unit = try #require(VideoUnit(bytes))
        #expect(unit.start == 90_000 && unit.end == 135_000)
        let entry = try #require(unit.entry)
        #expect(entry.time == (1 << 32) + 97_200 && entry.decodingTime == entry.time)
        // The packet of the picture begins after the header of its pack.
        #expect(entry.offset == 2048 + 14)
        #expect(entry.payload.starts(with: payload))
        // Only the navigation pack.
        #expect(try #require(VideoUnit(Array(bytes.prefix(2048)))).entry == nil)
        #expect(VideoUnit(Array(bytes.dropFirst(2048))) == nil)
        #expect(VideoUnit(Array(bytes.prefix(2047))) == nil)
        // The picture of the next unit does not belong to a short unit without a picture.
        let empty = Array(bytes.prefix(2048))
        #expect(try #require(VideoUnit(empty + bytes)).entry == nil)
    }

    @Test("a unit states where the previous unit with video is")
    func previousVideo() throws {
        let bytes = Bytes.unit(start: 0, end: 45_000, time: 0, payload: [0, 0, 1, 0xB3])
        #expect(try #require(VideoUnit(bytes)).previousVideo == nil)
        for (stated, sectors) in [(300, 300), (0x3FFF_FFFF, nil)] as [(Int, Int64?)] {
            var unit = bytes
            Bytes.state(previousVideo: stated, inUnitAt: 0, of: &unit)
            #expect(try #require(VideoUnit(unit)).previousVideo == sectors)
        }
    }

    @Test
    func subtitlesAreKnownFromTheStart() {
        let bytes = SubtitleHead.bytes([0x20, 0x23], time: 90_000)
        #expect(bytes.count == 2 * VideoUnit.packByteCount)
        for (number, stream) in [0x20, 0x23].enumerated() {
            let pack = bytes[(number * VideoUnit.packByteCount)...]
            #expect(pack.starts(with: [0, 0, 1, 0xBA]))
            // A private packet with a time, the number of its stream, and a picture of ten bytes.
            #expect(pack.dropFirst(14).prefix(4).elementsEqual([0, 0, 1, 0xBD]))
            #expect(pack.dropFirst(28).prefix(3).elementsEqual([UInt8(stream), 0, 10]))
        }
        // Red, black and white of limited range.
        let setup = SubtitleSetup(
            width: 720,
            height: 576,
            palette: [[93, 197, 113], [16, 128, 128], [235, 128, 128]]
        )
        #expect(setup.text == "size: 720x576\npalette: c8273b, 000000, ffffff\n")
    }

    @Test
    func objectsEndWithAField() throws {
        let set = try TitleSet(Self.set)
        #expect([0, 1797, 1799, 540_000, 540_960].map(set.wholeFields) == [0, 0, 1800, 540_000, 540_000])
        var bytes = Self.set
        bytes[0x200] = 0x40
        let fast = try TitleSet(bytes)
        // A field lasts 1501.5 ticks, which authors round.
        #expect([1499, 1501, 1502, 3003, 541_500].map(fast.wholeFields) == [0, 1502, 1502, 3003, 540_540])
    }

    @Test
    func scrambledPacksSaySo() {
        var bytes = Bytes.unit(start: 0, end: 1, time: 0, payload: [])
        #expect(!VideoUnit.isScrambled(pack: bytes[2048...]))
        bytes[2048 + 20] |= 0x10
        #expect(VideoUnit.isScrambled(pack: bytes[2048...]))
        // In a navigation pack, these bits mean something else.
        bytes[20] = 0x30
        #expect(!VideoUnit.isScrambled(pack: bytes[..<2048]))
        #expect(!VideoUnit.isScrambled(pack: bytes.prefix(100)))
    }

    @Test
    func whatIsCutOffIsRefused() {
        let manager = Bytes.manager([(1, 1, 1)])
        for count in 0..<2048 + 20 {
            #expect(throws: PackagingError.self) { _ = try VideoManager(Array(manager.prefix(count))) }
        }
        let end = Self.set.count - 2048 + 20
        for count in stride(from: 0, to: end, by: 17) {
            #expect(throws: PackagingError.self, "\(count) bytes") { _ = try TitleSet(Array(Self.set.prefix(count))) }
        }
    }

    @Test
    func whatNoDiscHasIsRefused() {
        #expect(throws: PackagingError.self) { _ = try VideoManager(Bytes.manager([(0, 1, 1)])) }
        let titles = [(set: Int, number: Int, angles: Int)](repeating: (1, 1, 1), count: 100)
        #expect(throws: PackagingError.self) { _ = try VideoManager(Bytes.manager(titles)) }
        let backwards = Bytes.set([], [], pieces: [], units: [])
        var bytes = backwards
        // A cell that ends before it begins, and more cells than the file has.
        bytes.replaceSubrange(3 * 2048 + 4..<3 * 2048 + 8, with: BluRayBytes.big(19, 4))
        bytes.replaceSubrange(3 * 2048 + 12..<3 * 2048 + 16, with: BluRayBytes.big(5, 4))
        #expect(throws: PackagingError.self) { _ = try TitleSet(bytes) }
        bytes = backwards
        bytes.replaceSubrange(3 * 2048 + 4..<3 * 2048 + 8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: PackagingError.self) { _ = try TitleSet(bytes) }
    }
}
