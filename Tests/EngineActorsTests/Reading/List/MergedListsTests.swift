// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Loads of several lists, merged")
struct MergedListsTests {
    private static let second: Int64 = 1_000_000_000
    private static let german = ListRendition(name: "Deutsch", language: "de", dispositions: [])
    private static let english = ListRendition(name: "English", language: "en", dispositions: [])

    /// A part whose playlist lists segments of one second. The leading playlist states that segment 0 was recorded at
    /// second 100; renditions state no dates.
    private static func part(
        _ segments: Range<Int>,
        _ rendition: ListRendition? = nil,
        signed: String = "",
        hasEnded: Bool = false
    ) throws -> ListPart {
        let name = rendition?.language ?? "video"
        let lines = segments.map { "#EXTINF:1,\n\(name)\($0).ts\(signed)\n" }.joined()
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(segments.lowerBound)\n"
        let text = head + (rendition == nil ? Self.date(ofSegment: segments.lowerBound) : "") + lines
        let bytes = Array((text + (hasEnded ? "#EXT-X-ENDLIST\n" : "")).utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/\(name).m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        return ListPart(try SegmentList(playlist, name: name), rendition, playlist: playlist)
    }

    private static func date(ofSegment index: Int) -> String {
        func digits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:\(digits((index + 100) / 60)):\(digits((index + 100) % 60))Z\n"
    }

    private static func load(_ parts: [ListPart]) -> ListContent { ListContent(parts: parts, digest: "") }

    private static func opened(after announced: Int = 0, now: Int64 = 0) throws -> MergedLists {
        let load = load([try part(0..<4), try part(0..<4, german), try part(0..<4, english)])
        return MergedLists(load, path: "film", after: announced, now: now)
    }

    private static func counts(_ lists: MergedLists) -> [Int] { lists.parts.map(\.list.segments.count) }

    @Test("each list of a load continues the list of the same name, in whatever order they come")
    func pairs() throws {
        var lists = try Self.opened()
        let isNew = try lists.take(
            Self.load([Self.part(1..<5), Self.part(1..<7, Self.english), Self.part(1..<6, Self.german)]),
            now: Self.second
        )
        #expect(isNew)
        #expect(Self.counts(lists) == [5, 6, 7])
        #expect(lists.parts[1].list.segments[5].resource.url == "http://host/de5.ts")
    }

    @Test("a list that a load lacks stays as it is, and continues with a later load")
    func missing() throws {
        var lists = try Self.opened()
        var isNew = try lists.take(Self.load([Self.part(1..<5), Self.part(1..<5, Self.english)]), now: Self.second)
        #expect(isNew)
        #expect(Self.counts(lists) == [5, 4, 5])
        var unloaded = try Self.part(1..<6, Self.german)
        unloaded.playlist = nil
        isNew = try lists.take(Self.load([Self.part(1..<6), unloaded]), now: Self.second)
        #expect(isNew)
        #expect(Self.counts(lists) == [6, 4, 5])
        isNew = try lists.take(Self.load([Self.part(1..<6), Self.part(1..<6, Self.german)]), now: Self.second)
        #expect(isNew)
        #expect(Self.counts(lists) == [6, 6, 5])
    }

    @Test("a load is rejected if it has a list that was absent when the source was opened, or no list at all")
    func others() throws {
        var lists = try Self.opened()
        let french = ListRendition(name: "Français", language: "fr", dispositions: [])
        #expect(throws: EngineError.self) {
            try lists.take(Self.load([Self.part(1..<5), Self.part(1..<5, french)]), now: 0)
        }
        #expect(throws: EngineError.self) { try lists.take(Self.load([]), now: 0) }
    }

    @Test("the window begins where all lists still have media, whatever their numbers are")
    func window() throws {
        var lists = try Self.opened()
        #expect(lists.parts.oldest == 0)
        _ = try lists.take(Self.load([Self.part(0..<4), Self.part(3..<7, Self.german)]), now: Self.second)
        #expect(lists.parts.oldest == 3 && lists.parts[0].list.oldest == 0)
        _ = try lists.take(Self.load([Self.part(1..<5), Self.part(9..<13, Self.german)]), now: Self.second)
        #expect(lists.parts.oldest == 5, "none of the segments has German audio any more")
    }

    @Test(
        "a list whose segments begin somewhat earlier or later has the media of the segments",
        arguments: [-0.4, 0.4]
    )
    func windowOfShifted(distance: Double) throws {
        var lists = try Self.opened()
        lists.move(1, by: .seconds(distance))
        _ = try lists.take(Self.load([Self.part(1..<5), Self.part(2..<6, Self.german)]), now: Self.second)
        #expect(lists.parts.oldest == 2)
    }

    @Test("newly signed URLs replace those of the same list, in whatever order the lists come")
    func renames() throws {
        var lists = try Self.opened()
        let load = try Self.load([
            Self.part(0..<4, signed: "?2"), Self.part(0..<4, Self.english, signed: "?2"),
            Self.part(0..<4, Self.german, signed: "?2"),
        ])
        _ = try lists.take(load, now: 0)
        try lists.rename(by: load)
        for (part, name) in zip(lists.parts, ["video", "de", "en"]) {
            let urls = part.list.segments.map(\.resource.url)
            for (index, url) in urls.enumerated() where index != part.list.entrance {
                #expect(url == "http://host/\(name)\(index).ts?2")
            }
        }
    }

    @Test("the progress is that of the leading list: the arrival, the end and the recording time of its newest segment")
    func progress() throws {
        var lists = try Self.opened(now: 5 * Self.second)
        #expect(lists.progress?.monotonicNanoseconds == 5 * Self.second)
        #expect(lists.progress?.newest == .seconds(4))
        #expect(lists.progress?.wallClock == 104_000_000)
        _ = try lists.take(Self.load([Self.part(0..<4)]), now: 6 * Self.second)
        #expect(lists.progress?.monotonicNanoseconds == 5 * Self.second)
        _ = try lists.take(Self.load([Self.part(2..<6)]), now: 7 * Self.second)
        #expect(lists.progress?.monotonicNanoseconds == 7 * Self.second)
        #expect(lists.progress?.newest == .seconds(6))
        #expect(lists.progress?.wallClock == 106_000_000)
        _ = try lists.take(Self.load([Self.part(2..<6, hasEnded: true)]), now: 8 * Self.second)
        #expect(lists.progress == nil)
    }

    @Test("a list with nothing new for 3.5 target durations stalls the source and is named, until it grows")
    func stalls() throws {
        var lists = try Self.opened()
        _ = try lists.take(Self.load([Self.part(1..<5), Self.part(1..<5, Self.german)]), now: 3 * Self.second)
        var isChanged = lists.noteStall(at: 3 * Self.second)
        #expect(!isChanged)
        isChanged = lists.noteStall(at: 4 * Self.second)
        #expect(isChanged)
        #expect(lists.progress?.isStalled == true)
        isChanged = lists.noteStall(at: 5 * Self.second)
        #expect(!isChanged)
        let stall = lists.takeNotices()
        #expect(stall.map(\.code) == ["live.ingest_stalled"])
        #expect(stall[0].message.contains("\"English\" of film has had nothing new for 4 s"))
        _ = try lists.take(
            Self.load([Self.part(3..<7), Self.part(3..<7, Self.german), Self.part(3..<7, Self.english)]),
            now: 6 * Self.second
        )
        isChanged = lists.noteStall(at: 6 * Self.second)
        #expect(isChanged)
        #expect(lists.progress?.isStalled == false)
        let end = lists.takeNotices()
        #expect(end.map(\.code) == ["live.ingest_resumed"])
    }

    @Test("segments that one list alone has missed leave a gap on its timeline; those that all have missed leave none")
    func missed() throws {
        var lists = try Self.opened()
        _ = try lists.take(Self.load([Self.part(4..<8), Self.part(6..<8, Self.german)]), now: Self.second)
        #expect(lists.parts[0].list.duration == .seconds(8))
        #expect(lists.parts[1].list.segments[4].start == .seconds(6))
        #expect(lists.parts[1].list.duration == .seconds(8))
        _ = try lists.take(Self.load([Self.part(10..<12), Self.part(10..<12, Self.german)]), now: 2 * Self.second)
        #expect(lists.parts.prefix(2).map(\.list.duration) == [.seconds(10), .seconds(10)])
    }

    @Test("in all lists, the indices and the timeline continue after those of an earlier process")
    func follows() throws {
        var lists = try Self.opened(after: 10)
        #expect(Self.counts(lists) == [14, 14, 14])
        #expect(lists.progress?.newest == .seconds(14))
        _ = try lists.take(Self.load([Self.part(1..<5), Self.part(1..<5, Self.german)]), now: 0)
        #expect(Self.counts(lists) == [15, 15, 14])
    }

    @Test("a list is moved once, and a lost segment is a gap and is reported")
    func placed() throws {
        var lists = try Self.opened()
        #expect(!lists.isPlaced(1))
        lists.move(1, by: .seconds(3))
        lists.move(1, by: .seconds(3))
        #expect(lists.isPlaced(1))
        #expect(lists.parts[1].list.segments[0].start == .seconds(3))
        #expect(lists.reach == .seconds(4), "another list has not been moved")
        lists.move(2, by: .seconds(-1))
        #expect(lists.reach == .seconds(3))
        lists.lose(2, of: 1, because: EngineError(.sourceNotFound, "404"))
        #expect(lists.parts[1].list.segments[2].isGap)
        let notices = lists.takeNotices()
        #expect(notices.map(\.code) == ["live.segment_lost"])
        let rest = lists.takeNotices()
        #expect(rest.isEmpty)
    }
}
