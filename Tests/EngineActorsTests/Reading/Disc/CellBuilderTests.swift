// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
@testable import Reading
import Testing

/// How cells of a DVD become the bytes, the clock and the map of a title.
struct CellBuilderTests {
    private static let second: Int64 = 90_000
    /// Each unit has two sectors: its navigation pack, and a picture.
    private static let unitByteCount: Int64 = 4096
    private static let sequence: [UInt8] = [0, 0, 1, 0xB3]

    /// Units of half a second each, on a clock that begins at `start` seconds.
    private static func units(_ count: Int, from start: Int64, payload: [UInt8] = sequence) -> [UInt8] {
        (0..<count).flatMap { number -> [UInt8] in
            let time = Int(start * second) + number * 45_000
            return DVDBytes.unit(start: time, end: time + 45_000, time: time + 3600, payload: payload)
        }
    }

    /// A cell of a chain that plays these units.
    private static func cell(_ units: Range<Int>, object: Int = 1, number: Int = 1, still: UInt8 = 0) -> DVDBytes.Cell {
        DVDBytes.Cell(
            object: object,
            number: number,
            sectors: units.lowerBound * 2...units.upperBound * 2 - 1,
            still: still
        )
    }

    private static func build(
        _ cells: [DVDBytes.Cell],
        of source: ScriptedSource,
        units: Int,
        pieces: [(object: Int, cell: Int, sectors: ClosedRange<Int>)] = [],
        subtitles: [Int] = [],
        chapters: [Int] = []
    ) throws -> CellBuilder.Built {
        let chain = DVDBytes.Chain(cells: cells)
        let bytes = DVDBytes.set([[(1, 1)]], [chain], pieces: pieces, units: (0..<units).map { $0 * 2 })
        let set = try TitleSet(bytes)
        var builder = CellBuilder(set, source.file, InterruptFlag())
        let parsed = try set.chain(1)
        for place in parsed.places(angle: 1) { builder.add(parsed.cells[place]) }
        return try builder.finish("/disc", subtitles: subtitles, chapters: chapters)
    }

    /// The entries of each part's units.
    private static func entries(_ built: CellBuilder.Built) throws -> [[UnitMap.Entry]] {
        let bytes = built.title.cursor(InterruptFlag())
        return try built.map.parts.enumerated().map { number, part in
            try (0..<part.count).compactMap { unit in
                guard case .entry(let entry) = try built.map.content(of: .init(part: number, unit: unit), bytes) else {
                    return nil
                }
                return entry
            }
        }
    }

    @Test
    func cellsOfOneObjectAreOnePart() throws {
        let source = ScriptedSource(Self.units(8, from: 100))
        let built = try Self.build([Self.cell(0..<4), Self.cell(4..<8, number: 2)], of: source, units: 8)
        #expect(built.stretches == [.init(position: 0, entry: 100 * Self.second, start: 0, duration: 4 * Self.second)])
        #expect(try built.starts() == [0, 2 * Self.second])
        let entries = try Self.entries(built)[0]
        #expect(entries.map(\.time) == (0..<8).map { 3600 + $0 * 45_000 })
        // After the navigation pack and the header of the picture's own pack.
        #expect(entries.map(\.position) == (0..<8).map { $0 * Self.unitByteCount + 2048 + 14 })
        #expect(built.pieces.reduce(0) { $0 + $1.byteCount } == source.byteCount)
        #expect(built.notices.isEmpty)
    }

    @Test
    func objectsWithClocksOfTheirOwnAreParts() throws {
        // Each object has a clock of its own. The cells are not played in the order in which they are stored.
        let source = ScriptedSource(Self.units(4, from: 100) + Self.units(6, from: 3))
        let cells = [Self.cell(4..<10, object: 2), Self.cell(0..<4)]
        let built = try Self.build(cells, of: source, units: 10)
        #expect(
            built.stretches == [
                .init(position: 0, entry: 3 * Self.second, start: 0, duration: 3 * Self.second),
                .init(
                    position: 6 * Self.unitByteCount,
                    entry: 100 * Self.second,
                    start: 3 * Self.second,
                    duration: 2 * Self.second
                ),
            ]
        )
        #expect(try built.starts() == [0, 3 * Self.second])
        let entries = try Self.entries(built)
        #expect(entries.map(\.count) == [6, 4] && entries[1].first?.time == 3 * Self.second + 3600)
        #expect(entries[1].first?.position == 6 * Self.unitByteCount + 2048 + 14)
        #expect(built.pieces.map(\.range.lowerBound) == [4 * Self.unitByteCount, 0])
    }

    @Test
    func stillEndsAPart() throws {
        let source = ScriptedSource(Self.units(8, from: 100))
        let cells = [Self.cell(0..<4, still: 5), Self.cell(4..<8, number: 2, still: 255)]
        let built = try Self.build(cells, of: source, units: 8)
        #expect(built.stretches.map(\.duration) == [7 * Self.second, 12 * Self.second])
        #expect(try built.starts() == [0, 7 * Self.second])
        #expect(built.notices.map(\.code) == ["disc.still_shortened"])
        // The file ends before the second still.
        let cut = ScriptedSource(Array(Self.units(8, from: 100).prefix(6 * Int(Self.unitByteCount))))
        let shorter = try Self.build(cells, of: cut, units: 8)
        #expect(shorter.stretches.map(\.duration) == [7 * Self.second, Self.second])
        #expect(shorter.notices.map(\.code) == ["disc.still_shortened", "disc.truncated"])
    }

    @Test
    func onlyThePiecesOfTheAngleAreRead() throws {
        // Two units of this angle, two of another, two of this one.
        let bytes = Self.units(2, from: 10) + Self.units(2, from: 10) + Self.units(2, from: 11)
        let built = try Self.build(
            [Self.cell(0..<6)],
            of: ScriptedSource(bytes),
            units: 6,
            pieces: [(1, 1, 0...3), (2, 1, 4...7), (1, 1, 8...11)]
        )
        #expect(built.stretches.map(\.duration) == [2 * Self.second])
        #expect(built.pieces.map(\.range) == [0..<8192, 16_384..<24_576])
        let entries = try Self.entries(built)[0]
        #expect(entries.map(\.time) == [0, 1, 2, 3].map { 3600 + $0 * 45_000 })
        #expect(entries.map { $0.position / Self.unitByteCount } == [0, 1, 2, 3])
    }

    @Test
    func unitsWithoutASequenceHeaderAreNotEntered() throws {
        let bytes = Self.units(1, from: 0) + Self.units(1, from: 1, payload: [0, 0, 1, 0]) + Self.units(1, from: 2)
        let built = try Self.build([Self.cell(0..<3)], of: ScriptedSource(bytes), units: 3)
        #expect(try Self.entries(built)[0].map(\.position) == [2062, 2 * Self.unitByteCount + 2062])
    }

    @Test
    func subtitlesAreDeclaredBeforeTheTitle() throws {
        let source = ScriptedSource(Self.units(2, from: 10))
        let built = try Self.build([Self.cell(0..<2)], of: source, units: 2, subtitles: [0x20, 0x21])
        #expect(built.pieces.map(\.byteCount) == [4096, source.byteCount])
        #expect(built.stretches.map(\.position) == [4096])
        let first = try #require(try Self.entries(built)[0].first)
        #expect(first.position == 4096 + 2062)
    }

    @Test
    func partThatIsNotThereIsRefused() throws {
        let damaged = ScriptedSource([UInt8](repeating: 7, count: 8192))
        let error = #expect(throws: EngineError.self) {
            _ = try Self.build([Self.cell(0..<2)], of: damaged, units: 2)
        }
        #expect(error?.code == .sourceNotMedia)
        // After the first part, what is missing only ends the title.
        let cells = [Self.cell(0..<2), Self.cell(2..<4, object: 2)]
        let built = try Self.build(cells, of: ScriptedSource(Self.units(2, from: 10)), units: 4)
        #expect(built.stretches.count == 1 && built.notices.map(\.code) == ["disc.truncated"])
    }

    @Test
    func unitsThatCannotBeReadAreLeftOut() throws {
        // In each of these units, zeros replace the navigation pack.
        let lost = [0, 3, 7]
        var bytes = Self.units(8, from: 100)
        for unit in lost {
            let start = unit * Int(Self.unitByteCount)
            bytes.replaceSubrange(start..<start + 2048, with: repeatElement(0, count: 2048))
        }
        let built = try Self.build(
            [Self.cell(0..<3), Self.cell(3..<8, number: 2)],
            of: ScriptedSource(bytes),
            units: 8
        )
        let start = 100 * Self.second + 45_000
        #expect(built.stretches.map(\.entry) == [start] && built.stretches.map(\.duration) == [3 * Self.second])
        // The second cell begins with its first unit that can be read.
        #expect(try built.starts() == [0, 3 * 45_000])
        let entries = try Self.entries(built)[0]
        #expect(entries.map(\.time) == [0, 1, 3, 4, 5].map { 3600 + $0 * 45_000 })
        #expect(entries.map(\.position) == [1, 2, 4, 5, 6].map { $0 * Self.unitByteCount + 2048 + 14 })
    }

    @Test
    func onlyTheEdgesOfPartsAreRead() throws {
        let source = ScriptedSource(Self.units(1000, from: 0), isRemote: true)
        let cells = [Self.cell(0..<400), Self.cell(400..<1000, number: 2)]
        let built = try Self.build(cells, of: source, units: 1000)
        #expect(built.stretches.map(\.duration) == [500 * Self.second] && built.map.count == 1000)
        let edges = [0, 999].map { $0 * Self.unitByteCount..<$0 * Self.unitByteCount + 2048 }
        #expect(Set(source.requests.withLock { $0 }) == Set(edges))
        // What is read next is announced, too: the start of the title, a sample from its middle, and what may be needed
        // after the start.
        let announced = source.announced.withLock { $0 }
        let content: [Range<Int64>] = [0..<262_144, 2_048_000..<2_179_072, 262_144..<569_344]
        #expect(announced == [content[0]] + edges + content[1...])
        source.announced.withLock { $0 = [] }
        try built.title.requireClear(InterruptFlag())
        let units = UnitPlan.expectedReads(built.map, TitleTimeline(built.stretches))
        #expect(units.count == 5 && source.announced.withLock { $0 } == content[..<2] + units + content[2...])
    }

    @Test
    func startsOfChaptersAreAnnounced() throws {
        let source = ScriptedSource(Self.units(1000, from: 0), isRemote: true)
        // Two parts, each with chapters that begin with some of its cells.
        let cells = (0..<100).map { Self.cell($0 * 10..<$0 * 10 + 10, object: $0 < 50 ? 1 : 2, number: $0 + 1) }
        let chapters = Array(stride(from: 0, to: 100, by: 5))
        _ = try Self.build(cells, of: source, units: 1000, chapters: chapters + [100])
        let range = { (unit: Int64) in unit * Self.unitByteCount..<unit * Self.unitByteCount + 2048 }
        let starts = chapters.filter { $0 != 0 && $0 != 50 }.map { range(Int64($0 * 10)) }
        let announced = source.announced.withLock { $0 }
        // The starts of the first chapters are announced before media that is read later, the other starts after it.
        #expect(announced.prefix(6).dropFirst().prefix(4) == [range(0), range(499), range(500), range(999)])
        #expect(announced[6..<16] == starts[..<10] && announced[17...] == starts[10...])
        #expect(announced[16] == 262_144..<569_344)
    }

    @Test
    func startsOfCellsAreReadOnRequest() throws {
        let source = ScriptedSource(Self.units(1000, from: 0), isRemote: true)
        let cells = (0..<100).map { Self.cell($0 * 10..<$0 * 10 + 10, number: $0 + 1) }
        let built = try Self.build(cells, of: source, units: 1000)
        let chapters = TitleChapters.cells(built.cells, built.map)
        let bytes = built.title.cursor(InterruptFlag())
        source.requests.withLock { $0 = [] }
        source.announced.withLock { $0 = [] }
        let starts = try chapters.starts(bytes)
        #expect(starts == (0..<100).map { MediaTime.seconds(Double(5 * $0)) })
        // The first cell begins with its part, so its start is known. Not all reads are announced when the title is
        // opened.
        let reads = (1..<100).map { (number: Int64) -> Range<Int64> in
            let start = number * 10 * Self.unitByteCount
            return start..<start + 2048
        }
        #expect(source.requests.withLock { $0 } == reads && source.announced.withLock { $0 } == reads)
        #expect(chapters.expectedReads == Array(reads.prefix(63)))
        #expect(TitleChapters.times([.seconds(1)]).expectedReads == [])
    }

    @Test("if the last unit is not found, a part lasts as long as the disc states", arguments: [false, true])
    func lastUnit(isListed: Bool) throws {
        // 1 min 23 s and 12 frames of 1/25 s.
        let stated: Int64 = 83 * Self.second + 12 * 3600
        var bytes = Self.units(8, from: 100)
        if isListed { bytes[7 * Int(Self.unitByteCount) + 3] = 0 }
        let built = try Self.build([Self.cell(0..<8)], of: ScriptedSource(bytes), units: isListed ? 8 : 0)
        #expect(built.stretches.map(\.duration) == [stated])
    }

    @Test("the number of ranges of sectors in a title is limited")
    func ranges() throws {
        // Each cell of the chain has all of these pieces.
        let pieces = (0..<100_001).map { (object: 1, cell: 1, sectors: $0 * 2...$0 * 2) }
        let cells = (0..<4).map { _ in DVDBytes.Cell(sectors: 0...300_000) }
        let error = #expect(throws: EngineError.self) {
            _ = try Self.build(cells, of: ScriptedSource(Self.units(2, from: 0)), units: 2, pieces: pieces)
        }
        #expect(error?.code == .resourceExhausted)
    }
}
