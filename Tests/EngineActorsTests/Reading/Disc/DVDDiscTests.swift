// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
@testable import Reading
import Testing

/// The titles of a DVD, as its information files describe them.
struct DVDDiscTests {
    private static let second: Int64 = 90_000

    /// Units of a second each.
    private static func objects(_ seconds: Int, from start: Int = 0) -> [UInt8] {
        (0..<seconds).flatMap { number -> [UInt8] in
            let time = (start + number) * 90_000
            return DVDBytes.unit(start: time, end: time + 90_000, time: time, payload: [0, 0, 1, 0xB3])
        }
    }

    private static func cell(_ seconds: Range<Int>, object: Int = 1, number: Int = 1, mode: UInt8 = 0) -> DVDBytes.Cell
    {
        let digits = UInt8((seconds.count / 10) << 4 | seconds.count % 10)
        let sectors = seconds.lowerBound * 2...seconds.upperBound * 2 - 1
        return DVDBytes.Cell(object: object, number: number, sectors: sectors, mode: mode, time: [0, digits, 0x40])
    }

    private static let units = (0..<60).map { $0 * 2 }

    /// The first set has two titles, of which the second plays two chains. The second set has one title, with two
    /// angles.
    private static var files: [String: [UInt8]] {
        let chains = [
            DVDBytes.Chain(
                cells: [cell(0..<12), cell(12..<20, number: 2)],
                programs: [1, 2],
                audio: [0x8100, 0x8000, 0x8200],
                subtitles: [0x8001_0203]
            ),
            DVDBytes.Chain(cells: [cell(20..<30, object: 2)]),
        ]
        let angles = DVDBytes.Chain(
            cells: [
                cell(0..<10), cell(10..<25, object: 2, mode: 1), cell(25..<40, object: 3, mode: 3),
                cell(40..<60, object: 4),
            ],
            programs: [1, 2, 4]
        )
        return [
            "VIDEO_TS/VIDEO_TS.IFO": DVDBytes.manager([(1, 1, 1), (1, 2, 1), (2, 1, 2)]),
            "VIDEO_TS/VTS_01_0.IFO": DVDBytes.set(
                [[(1, 1), (1, 2)], [(1, 2), (2, 1)]],
                chains,
                pieces: [],
                units: units
            ),
            "VIDEO_TS/VTS_01_1.VOB": objects(20, from: 7) + objects(10),
            "VIDEO_TS/VTS_02_0.IFO": DVDBytes.set([[(1, 1), (1, 2), (1, 3)]], [angles], pieces: [], units: units),
            "VIDEO_TS/VTS_02_1.VOB": objects(30),
            "VIDEO_TS/VTS_02_2.VOB": objects(30, from: 30),
        ]
    }

    private static func opened(
        _ choice: TitleChoice = TitleChoice(),
        _ files: [String: [UInt8]] = files,
        label: String = ""
    ) throws -> TitleSource? {
        try DVDDisc(MemoryDiscFiles(files, label: label), InterruptFlag())?.open(choice, InterruptFlag())
    }

    private static func seconds(_ times: [MediaTime]) -> [Double] { times.map(\.seconds) }

    @Test
    func titlesAreThoseOfTheTable() throws {
        let source = try #require(try Self.opened(label: "METROPOLIS"))
        let titles = source.content.titles
        #expect(titles.map(\.number) == [1, 2, 3])
        #expect(titles.map(\.name) == ["VTS_01 1", "VTS_01 2", "VTS_02 1"])
        #expect(Self.seconds(titles.map(\.duration)) == [20, 30, 45])
        #expect(titles.map(\.chapterCount) == [2, 2, 3])
        #expect(titles.map(\.angleCount) == [1, 1, 2])
        #expect(titles.map(\.isMain) == [false, false, true] && titles.map(\.isSelected) == [false, false, true])
        // The second title is more than half as long as the main one.
        #expect(source.content.notices.map(\.code) == ["disc.title_guessed"])
        #expect(source.content.name == "METROPOLIS")
    }

    @Test
    func languagesAreThoseOfTheStreamsInTheObjects() throws {
        let source = try #require(try Self.opened(TitleChoice(number: 1)))
        // English is the second AC-3 stream, and German the first LPCM stream; DTS has no language. French is the
        // stream of subtitles for 4:3.
        #expect(source.content.languages == [0x81: "eng", 0xA0: "deu", 0x20: "fra"])
        #expect(source.content.streams == [0x1E0, 0x81, 0xA0, 0x8A])
        #expect(source.content.pieces.first?.byteCount == 2048)
        #expect(source.content.notices.isEmpty)
    }

    @Test(arguments: [(1, [0, 12], 20), (2, [12, 20], 30), (3, [0, 10, 25], 45)])
    func chaptersBeginWithTheirPrograms(number: Int, starts: [Double], duration: Int64) throws {
        let source = try #require(try Self.opened(TitleChoice(number: number)))
        let chapters = try source.chapters(InterruptFlag())
        #expect(Self.seconds(chapters.map(\.start)) == starts)
        #expect(Self.seconds(chapters.map(\.end)) == Array(starts.dropFirst()) + [Double(duration)])
        #expect(source.content.timeline.duration == duration * Self.second)
    }

    @Test("of a table of chapters that runs in circles, each chain is played once")
    func chaptersInCircles() throws {
        let chains = [
            DVDBytes.Chain(cells: [Self.cell(0..<12), Self.cell(12..<20, number: 2)], programs: [1, 2]),
            DVDBytes.Chain(cells: [Self.cell(20..<30, object: 2)]),
        ]
        let once: [(chain: Int, program: Int)] = [(1, 1), (1, 2), (2, 1)]
        let circle = (0..<100).flatMap { _ in once }
        let files = [
            "VIDEO_TS/VIDEO_TS.IFO": DVDBytes.manager([(1, 1, 1)]),
            "VIDEO_TS/VTS_01_0.IFO": DVDBytes.set([circle], chains, pieces: [], units: Self.units),
            "VIDEO_TS/VTS_01_1.VOB": Self.objects(20, from: 7) + Self.objects(10),
        ]
        let source = try #require(try Self.opened(TitleChoice(), files))
        #expect(source.content.timeline.duration == 30 * Self.second)
        #expect(Self.seconds(try source.chapters(InterruptFlag()).map(\.start)) == [0, 12, 20])
    }

    @Test("a chapter whose first unit is damaged is left out, and the others do not move")
    func damagedCell() throws {
        let chain = DVDBytes.Chain(
            cells: [
                Self.cell(0..<12), Self.cell(12..<20, number: 2), Self.cell(20..<25, object: 2),
                Self.cell(25..<30, object: 2, number: 2),
            ],
            programs: [1, 2, 3]
        )
        var objects = Self.objects(20, from: 7) + Self.objects(10)
        objects[12 * 4096 + 3] = 0
        func starts(_ chapters: [(chain: Int, program: Int)]) throws -> [Double] {
            let files = [
                "VIDEO_TS/VIDEO_TS.IFO": DVDBytes.manager([(1, 1, 1)]),
                "VIDEO_TS/VTS_01_0.IFO": DVDBytes.set([chapters], [chain], pieces: [], units: Self.units),
                "VIDEO_TS/VTS_01_1.VOB": objects,
            ]
            let source = try #require(try Self.opened(TitleChoice(), files))
            return Self.seconds(try source.chapters(InterruptFlag()).map(\.start))
        }
        #expect(try starts([(1, 1), (1, 3)]) == [0, 20])
        #expect(try starts([(1, 1), (1, 2), (1, 3)]) == [0, 20])
    }

    @Test("the starts of chapters are read once, but not the start of a part, which is known")
    func chaptersAreReadOnce() throws {
        let files = MemoryDiscFiles(Self.files)
        let source = try #require(try DVDDisc(files, InterruptFlag())?.open(TitleChoice(number: 1), InterruptFlag()))
        let objects = try #require(files.files["VIDEO_TS/VTS_01_1.VOB"])
        objects.requests.withLock { $0 = [] }
        let chapters = try source.chapters(InterruptFlag())
        #expect(try source.chapters(InterruptFlag()) == chapters && chapters.count == 2)
        let first: Int64 = 12 * 4096
        #expect(objects.requests.withLock { $0 } == [first..<first + 2048])
    }

    @Test(arguments: [(1, 10), (2, 25), (5, 10)])
    func oneAngleIsPlayed(angle: Int, start: Int64) throws {
        let source = try #require(try Self.opened(TitleChoice(number: 3, angle: angle)))
        #expect(source.content.timeline.stretches.map(\.entry) == [0, start, 40].map { $0 * Self.second })
        // The video objects of a set continue from file to file.
        #expect(source.content.pieces.count == (angle == 2 ? 4 : 3))
        #expect(source.content.timeline.duration == 45 * Self.second)
    }

    @Test(arguments: [1, 2, 3])
    func readsFromAServerAreAnnounced(number: Int) throws {
        let files = MemoryDiscFiles(Self.files, isRemote: true)
        let disc = try #require(try DVDDisc(files, InterruptFlag()))
        _ = try disc.open(TitleChoice(number: number), InterruptFlag()).chapters(InterruptFlag())
        var count = 0
        for (name, source) in files.files where name.hasSuffix("VOB") {
            let announced = source.announced.withLock { $0 }
            for read in source.requests.withLock({ $0 }) {
                #expect(announced.contains { $0.contains(read) }, "\(name): \(read)")
                count += 1
            }
        }
        // The edges of parts, the starts of chapters, and samples of the content: not each of the units.
        #expect((5...15).contains(count))
    }

    @Test
    func damagedSetLeavesTheOthers() throws {
        var files = Self.files
        files["VIDEO_TS/VTS_02_0.IFO"] = Array("DVDVIDEO-VTS".utf8)
        let source = try #require(try Self.opened(TitleChoice(), files))
        #expect(source.content.titles.map(\.isMain) == [false, true, false])
        #expect(source.content.notices.map(\.code) == ["disc.title_skipped", "disc.title_guessed"])
        let error = #expect(throws: EngineError.self) { _ = try Self.opened(TitleChoice(number: 3), files) }
        #expect(error?.code == .sourceNotMedia)
        // A damaged information file may have a backup.
        files["VIDEO_TS/VTS_02_0.BUP"] = Self.files["VIDEO_TS/VTS_02_0.IFO"]
        #expect(try Self.opened(TitleChoice(), files)?.content.titles.map(\.isMain) == [false, false, true])
    }

    @Test
    func whatIsMissingIsTyped() throws {
        func code(
            _ choice: TitleChoice = TitleChoice(),
            without name: String? = nil,
            _ bytes: [UInt8]? = nil
        ) -> EngineError.Code? {
            var files = Self.files
            if let name { files[name] = bytes }
            return #expect(throws: EngineError.self) { _ = try Self.opened(choice, files) }?.code
        }
        #expect(code(TitleChoice(number: 4)) == .invalidArgument)
        #expect(code(TitleChoice(number: 0)) == .invalidArgument)
        #expect(code(without: "VIDEO_TS/VTS_02_1.VOB") == .sourceNotFound)
        #expect(code(without: "VIDEO_TS/VIDEO_TS.IFO", DVDBytes.manager([])) == .noPlayableStream)
        #expect(try Self.opened(TitleChoice(), ["BDMV/index.bdmv": []]) == nil)
    }

    @Test
    func scrambledTitleIsRefused() throws {
        var files = Self.files
        files["VIDEO_TS/VTS_02_1.VOB"]?[2048 + 20] |= 0x30
        let error = #expect(throws: EngineError.self) { _ = try Self.opened(TitleChoice(), files) }
        #expect(error?.code == .sourceEncrypted)
        // The other set is in the clear.
        #expect(try Self.opened(TitleChoice(number: 1), files) != nil)
    }
}
