// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The text subtitles of a title")
struct TitleTextTests {
    private static let wrap: Int64 = 1 << 33

    @Test(
        "a dialog is moved to the clock of the title, as far as its part contains it",
        arguments: [
            (1_000, 2_000, 51_000, 52_000), (-500, 1_000, 50_000, 51_000), (89_000, 95_000, 139_000, 140_000),
        ]
    )
    func placed(from: Int64, to: Int64, start: Int64, end: Int64) throws {
        for entry in [0, 900_000, Self.wrap - 1_500] {
            let part = TitleText.Part(file: DiscFile(pieces: []), entry: entry, duration: 90_000, start: 50_000)
            let clock = { (time: Int64) in (entry + time) & (Self.wrap - 1) }
            let found = part.placed(TextDialog(start: clock(from), end: clock(to), regions: []))
            #expect(found == TextDialog(start: start, end: end, regions: []))
        }
    }

    @Test(
        "a dialog is not shown if it lies outside its part, or does not end after it begins",
        arguments: [
            (-500, -1), (-500, 0), (90_000, 95_000), (2_000, 1_000), (5, 5),
        ]
    )
    func outside(from: Int64, to: Int64) {
        let part = TitleText.Part(file: DiscFile(pieces: []), entry: 900_000, duration: 90_000, start: 0)
        #expect(part.placed(TextDialog(start: 900_000 + from, end: 900_000 + to, regions: [])) == nil)
    }

    @Test("text is listed after the streams of the container, and read from the clips that the playlist names")
    func reading() throws {
        let flag = InterruptFlag()
        let dialog = BluRayTextBytes.dialog(from: 90_000, to: 135_000, (0, 1, [.text(Array("Hi".utf8))]))
        let files = MemoryDiscFiles(["BDMV/STREAM/00009.m2ts": BluRayTextBytes.clip([dialog], pid: 0x1801)])
        var item = BluRayBytes.Item()
        (item.texts, item.charset) = (["fra", "jpn"], 3)
        let paths: [(kind: UInt8, items: [BluRayBytes.SubItem])] = [
            (4, [.init(clip: "00008", start: 0, end: 450_000, item: 0, time: 0)]),
            (
                4,
                [
                    .init(clip: "00009", start: 22_500, end: 450_000, item: 0, time: 0),
                    .init(clip: "00009", start: 45_000, end: 450_000, item: 1, time: 100),
                    .init(clip: "00009", start: 45_000, end: 450_000, item: 2, time: 0),
                ]
            ),
        ]
        let playlist = try BluRayPlaylist(BluRayBytes.playlist([item, item], paths: paths))
        let texts = try BluRayTexts(files: files, playlist: playlist) { item, time in
            item < 2 ? Int64(item) * 900_000 + time : nil
        }.found(flag)
        // The disc does not have the clip of the first text.
        #expect(texts.map(\.text.language) == ["jpn"])
        let (title, media) = Self.title(texts, files, lasting: 1_800_000)
        #expect(media.streams.map(\.codec) == [.h264, DiscText.codec] && media.streams[1].language == "jpn")
        #expect((-1...2).map { title.hasText($0, of: media) } == [false, false, true, false])
        #expect(try title.text(0, of: media, flag)?.dialogs == nil)
        let found = try #require(try title.text(1, of: media, flag))
        #expect(found.charset == "CP932" && found.dialogs.map(\.start) == [45_000, 900_200])
        #expect(playlist.notices(of: "it", showing: ["jpn"]).map(\.message).allSatisfy { $0.contains("(fra)") })
        #expect(playlist.notices(of: "it", showing: ["jpn", "fra"]).isEmpty)
    }

    // MARK: Limits

    private static func subItem(_ clip: String) -> BluRayBytes.SubItem {
        BluRayBytes.SubItem(clip: clip, start: 0, end: 450_000, item: 0, time: 0)
    }

    /// The text subtitles of a playlist with a sub-path for each list of clips.
    private static func texts(
        _ paths: [[String]],
        in files: any DiscFiles,
        items: [BluRayBytes.Item]
    ) throws -> [TitleText] {
        let paths = paths.map { (kind: UInt8(4), items: $0.map(subItem)) }
        let playlist = try BluRayPlaylist(BluRayBytes.playlist(items, paths: paths))
        return try BluRayTexts(files: files, playlist: playlist) { _, time in time }.found(InterruptFlag())
    }

    private static func title(
        _ texts: [TitleText],
        _ files: any DiscFiles,
        lasting duration: Int64 = 900_000
    ) -> (TitleSource, MediaDescription) {
        let content = TitleSource.Content(
            kind: .bluRay,
            pieces: [],
            timeline: TitleTimeline([.init(position: 0, entry: 0, start: 0, duration: duration)]),
            map: nil,
            name: nil,
            languages: [:],
            texts: texts,
            chapters: .times([]),
            titles: [],
            notices: []
        )
        let title = TitleSource(files, number: 1, angle: 1, content)
        return (title, title.completed(.fixture([StreamDescription.fixture(0, .h264)]), identifiers: [:]))
    }

    @Test("a title has at most as many text subtitles as a disc may have, however many its items list")
    func manyTexts() throws {
        var items = [BluRayBytes.Item(), BluRayBytes.Item()]
        for place in items.indices {
            items[place].texts = [String](repeating: "fra", count: 200)
            items[place].charset = UInt8(place + 1)
        }
        let files = MemoryDiscFiles(["BDMV/STREAM/00009.m2ts": []])
        let texts = try Self.texts([[String]](repeating: ["00009"], count: 200), in: files, items: items)
        #expect(texts.count == 255)
    }

    @Test("all parts of a stream together have at most as many dialogs as one clip may have")
    func manyDialogs() throws {
        let dialogs = (0..<90).map { number in
            BluRayTextBytes.dialog(from: Int64(number), to: 90_000, (0, 1, [.text(Array("Hi".utf8))]))
        }
        let files = MemoryDiscFiles(["BDMV/STREAM/00009.m2ts": BluRayTextBytes.clip(dialogs)])
        var item = BluRayBytes.Item()
        item.texts = ["fra"]
        let clips = [String](repeating: "00009", count: 255)
        let (title, media) = Self.title(try Self.texts([clips], in: files, items: [item]), files)
        let found = try #require(try title.text(1, of: media, InterruptFlag()))
        #expect(found.dialogs.count == BluRayText.dialogLimit)
        #expect(found.dialogs.allSatisfy { $0.regions.count == 1 })
    }

    @Test("together, the clips of a stream must not be longer than one may be; a clip that is used twice counts once")
    func longClips() throws {
        let half = [UInt8](repeating: 0, count: BluRayText.byteLimit / 2 + 1)
        let files = MemoryDiscFiles(["BDMV/STREAM/00008.m2ts": half, "BDMV/STREAM/00009.m2ts": half])
        var item = BluRayBytes.Item()
        item.texts = ["fra", "jpn"]
        let paths = [["00008", "00009"], ["00008", "00008"]]
        let (title, media) = Self.title(try Self.texts(paths, in: files, items: [item]), files)
        #expect(throws: EngineError.self) { try title.text(1, of: media, InterruptFlag()) }
        #expect(try title.text(2, of: media, InterruptFlag())?.dialogs.isEmpty == true)
    }

    /// A disc with a clip that cannot be opened.
    private struct DamagedFiles: DiscFiles {
        let code: EngineError.Code
        let path = "/disc"
        let label = ""
        let fileName: FilePath? = nil
        let notices: [Notice] = []
        let inner = MemoryDiscFiles(["BDMV/STREAM/00009.m2ts": []])

        func names(in folder: [String], _ interrupt: InterruptFlag) throws(EngineError) -> [String] { [] }

        func file(_ name: [String], _ interrupt: InterruptFlag) throws(EngineError) -> DiscFile? {
            if name.last == "00008.m2ts" { throw EngineError(code, "it is damaged") }
            return try inner.file(name, interrupt)
        }
    }

    @Test("a clip that cannot be opened costs only its subtitles; a cancelled call fails")
    func damage() throws {
        var item = BluRayBytes.Item()
        item.texts = ["fra", "jpn"]
        let paths = [["00008", "00008"], ["00008", "00009"]]
        let texts = try Self.texts(paths, in: DamagedFiles(code: .sourceReadFailed), items: [item])
        #expect(texts.map(\.text.language) == ["jpn"] && texts.map(\.parts.count) == [1])
        #expect(throws: EngineError.self) {
            try Self.texts(paths, in: DamagedFiles(code: .cancelled), items: [item])
        }
    }
}
