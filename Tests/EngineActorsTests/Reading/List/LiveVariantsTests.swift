// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("A live list that continues with another variant")
struct LiveVariantsTests {
    /// A playlist of segments of one second; segment 0 was recorded at second 100.
    private static func part(
        _ segments: Range<Int>,
        of variant: String,
        isDated: Bool = true,
        firstSequence: Int = 0
    ) throws -> ListPart {
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-INDEPENDENT-SEGMENTS"]
        lines.append("#EXT-X-MEDIA-SEQUENCE:\(firstSequence + segments.lowerBound)")
        let clock = [(100 + segments.lowerBound) / 60, (100 + segments.lowerBound) % 60].map {
            "\($0 < 10 ? "0" : "")\($0)"
        }
        if isDated { lines.append("#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:\(clock.joined(separator: ":"))Z") }
        for segment in segments { lines += ["#EXTINF:1,", "\(variant)\(segment).ts"] }
        let text = lines.joined(separator: "\n") + "\n"
        guard case .media(let playlist) = try HLSPlaylist.parse(Array(text.utf8), url: "http://host/\(variant).m3u8")
        else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        return ListPart(try SegmentList(playlist, name: variant), isIndependent: true, playlist: playlist)
    }

    private static func load(_ parts: ListPart...) -> ListContent { ListContent(parts: parts, digest: "") }

    private static func names(_ lists: MergedLists, from first: Int = 0) -> [String] {
        lists.parts[0].list.segments[first...].map { String($0.resource.url.dropFirst("http://host/".count)) }
    }

    @Test("the segments of the other variant follow with the next indices, after a discontinuity; known ones stay")
    func joins() throws {
        var lists = MergedLists(try Self.load(Self.part(0..<4, of: "a")), path: "film", now: 0)
        // The playlists number their segments independently.
        let other = try Self.load(Self.part(1..<6, of: "b", firstSequence: 70))
        let outcome = try lists.join(other, limit: .seconds(1), now: 1)
        #expect(outcome == .joined)
        let list = lists.parts[0].list
        #expect(Self.names(lists, from: 1) == ["a1.ts", "a2.ts", "a3.ts", "b4.ts", "b5.ts"])
        #expect(list.segments.map(\.start.seconds) == [0, 1, 2, 3, 4, 5])
        #expect(list.groups == [0, 4] && list.continuations == [1] && list.oldest == 1)
        #expect(lists.progress?.monotonicNanoseconds == 1 && lists.progress?.newest == .seconds(6))
        _ = try lists.take(Self.load(Self.part(3..<8, of: "b", firstSequence: 70)), now: 2)
        #expect(Self.names(lists, from: 3) == ["a3.ts", "b4.ts", "b5.ts", "b6.ts", "b7.ts"])
        #expect(lists.parts[0].list.groups == [0, 4] && lists.parts[0].list.oldest == 3)
        // And back again.
        let back = try lists.join(Self.load(Self.part(5..<10, of: "a")), limit: .seconds(1), now: 3)
        #expect(back == .joined)
        #expect(Self.names(lists, from: 5) == ["b5.ts", "b6.ts", "b7.ts", "a8.ts", "a9.ts"])
        #expect(lists.parts[0].list.groups == [0, 4, 8] && lists.parts[0].list.continuations == [1, 2])
        #expect(lists.takeNotices().isEmpty)
    }

    @Test("a playlist that cannot follow changes nothing")
    func refusals() throws {
        var lists = MergedLists(try Self.load(Self.part(0..<4, of: "a")), path: "film", now: 0)
        let known = lists.parts[0].list
        var outcomes = [try lists.join(Self.load(Self.part(0..<4, of: "b")), limit: .seconds(1), now: 1)]
        outcomes.append(try lists.join(Self.load(Self.part(40..<44, of: "b")), limit: .seconds(1), now: 1))
        let numbered = try Self.load(Self.part(0..<6, of: "b", isDated: false, firstSequence: 70))
        outcomes.append(try lists.join(numbered, limit: .seconds(1), now: 1))
        #expect(outcomes == [.behind, .unmatched(.dates), .unmatched(.numbers)])
        #expect(lists.parts[0].list == known)
        _ = try lists.take(Self.load(Self.part(1..<5, of: "a")), now: 2)
        #expect(lists.parts[0].list.segments.count == 5 && lists.parts[0].list.groups == [0])
    }

    @Test("newly signed URLs replace only those of the variant that is played")
    func renames() throws {
        var lists = MergedLists(try Self.load(Self.part(0..<4, of: "a")), path: "film", now: 0)
        _ = try lists.join(Self.load(Self.part(1..<6, of: "b")), limit: .seconds(1), now: 1)
        try lists.rename(by: Self.load(Self.part(1..<6, of: "c")))
        #expect(Self.names(lists, from: 1) == ["a1.ts", "a2.ts", "a3.ts", "c4.ts", "c5.ts"])
    }

    @Test("groups on one clock have the offset of the one that was read first, whatever the durations say")
    func clocks() throws {
        var entries = (0..<6).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "\(index)"),
                duration: .seconds(4),
                isDiscontinuous: index % 2 == 0
            )
        }
        entries[2].continuesClock = true
        let list = SegmentList(entries)
        #expect(list.groups == [0, 2, 4] && list.continuations == [1])
        #expect((0..<3).map { list.firstGroup(onClockOf: $0) } == [0, 0, 2])
        // The playlist states 8 s for two segments that last 7.6 s together.
        let anchors: [MediaTime] = [.seconds(10), .seconds(17.6), .seconds(1)]
        let groups = ListGroups()
        let clocks = try (0..<3).map { group in
            try groups.clock(ofGroup: group, in: list) { group throws(EngineError) in
                .init(segment: group * 2, anchor: anchors[group], configuration: [])
            }
        }
        #expect(clocks.map(\.offset.seconds) == [0, 0, 25])
        // Groups that continue a clock do not count when audio with a list of its own is paired with the leading list.
        let audio = SegmentList([entries[1], entries[1], entries[4]])
        #expect((0..<2).map { audio.group(of: list, pairedWith: $0) } == [0, 2])
    }

    @Test("the video of a group keeps its number; the source's video has number 0")
    func otherVideo() throws {
        let entries = (0..<3).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "\(index)"),
                duration: .seconds(4),
                isDiscontinuous: index > 0
            )
        }
        let (list, groups) = (SegmentList(entries), ListGroups())
        for group in [2, 0, 1] {
            _ = try groups.clock(ofGroup: group, in: list) { group throws(EngineError) in
                let video = group == 2 ? ListedVideo.fixture(group: 2) : nil
                return .init(segment: group, anchor: .zero, configuration: [], video: video)
            }
        }
        #expect(groups.video(ofGroup: 2)?.number == 3 && groups.video(numbered: 3)?.stream.codec == .vp9)
        #expect((0...1).allSatisfy { groups.video(ofGroup: $0) == nil })
        #expect((-2...2).allSatisfy { groups.video(numbered: $0) == nil })
    }

    @Test(
        "times continue across wraps of a clock, unless they are far from the place in the playlist",
        arguments: [(18.0, 0.0, true), (15.5, 0, true), (18 - turn, turn, true), (1, 0, false), (14.9, 0, false)]
    )
    func continuing(anchor: Double, offset: Double, continues: Bool) {
        let first = ListClock(anchor: .seconds(10), after: nil, start: .zero)
        let planned = ListClock(anchor: .seconds(anchor), after: first, start: .seconds(8))
        let found = planned.continuing(first, number: 1)
        #expect((found != nil) == continues)
        if let found { #expect(abs(found.offset.seconds - offset) < 1e-5 && found.start == .seconds(8)) }
    }

    private static let turn = Double(Int64(1) << 33) / 90_000

    /// A source that begins with variant 0, of 1000 bit/s, and may switch to variant 1.
    private static func source(
        _ loads: [Int?: [ListPart]],
        opening first: ListPart,
        _ asked: Locked<[Int?]>
    ) -> SegmentListSource {
        let bodies = (0..<9).flatMap { index in
            ["a", "b"].map { ("http://host/\($0)\(index).ts", [UInt8](repeating: 1, count: 9000)) }
        }
        let rest = Locked(loads)
        var variants = ListVariants()
        variants.ladder = LiveLadder([.init(index: 0, bandwidth: 1000), .init(index: 1, bandwidth: 2000)], playing: 0)
        return SegmentListSource(
            path: "http://host/film.m3u8",
            isRemote: true,
            load(first),
            ListFacts(variants: variants),
            resources: ScriptedResources(Dictionary(uniqueKeysWithValues: bodies)),
            reload: { load, _ in
                guard case .later(_, let variant) = load else { return ListContent(parts: [], digest: "") }
                asked.withLock { $0.append(variant) }
                return rest.withLock { rest in
                    guard var parts = rest[variant], let part = parts.first else {
                        return ListContent(parts: [], digest: "")
                    }
                    if parts.count > 1 { parts.removeFirst() }
                    rest[variant] = parts
                    return ListContent(parts: [part], digest: "")
                }
            }
        )
    }

    @Test("a source whose segments arrive fast goes up, reports that, and loads the other variant from then on")
    func switches() throws {
        let asked = Locked<[Int?]>([])
        let source = Self.source(
            [
                0: [try Self.part(1..<5, of: "a")],
                1: [try Self.part(1..<5, of: "b"), try Self.part(2..<6, of: "b"), try Self.part(3..<7, of: "b")],
            ],
            opening: try Self.part(0..<4, of: "a"),
            asked
        )
        #expect(try source.alignment(InterruptFlag()) == true)
        try source.grow(InterruptFlag())
        #expect(asked.withLock { $0 } == [0] && source.playedVariant == nil, "nothing has been measured")
        _ = try source.bytes(of: 2, in: 0, InterruptFlag())
        try source.grow(InterruptFlag())
        // The first load of the other variant does not list the next segment yet.
        #expect(asked.withLock { $0 } == [0, 1, 1])
        #expect(source.lead.segments.map(\.resource.url).suffix(2) == ["http://host/a4.ts", "http://host/b5.ts"])
        #expect(source.playedVariant?.index == 1)
        #expect(source.takeNotices().map(\.code) == ["live.variant_changed"])
        try source.grow(InterruptFlag())
        #expect(asked.withLock { $0 }.last == 1 && source.lead.segments.count == 7)
        #expect(source.lead.groups == [0, 5] && source.takeNotices().isEmpty)
    }

    @Test("if the other variant cannot follow, the played one is loaded at once instead, with a notice")
    func goesOn() throws {
        let asked = Locked<[Int?]>([])
        let source = Self.source(
            [0: [try Self.part(1..<5, of: "a"), try Self.part(2..<6, of: "a")], 1: [try Self.part(40..<44, of: "b")]],
            opening: try Self.part(0..<4, of: "a"),
            asked
        )
        #expect(try source.alignment(InterruptFlag()) == true)
        _ = try source.bytes(of: 2, in: 0, InterruptFlag())
        try source.grow(InterruptFlag())
        #expect(asked.withLock { $0 } == [1, 0] && source.lead.segments.count == 5)
        #expect(source.takeNotices().map(\.code) == ["live.variant_unusable"])
        try source.grow(InterruptFlag())
        #expect(asked.withLock { $0 } == [1, 0, 0] && source.lead.segments.count == 6 && source.takeNotices().isEmpty)
    }

    @Test("unless segments are known to begin with keyframes, the variant stays the same")
    func unaligned() throws {
        let asked = Locked<[Int?]>([])
        let source = Self.source(
            [0: [try Self.part(1..<5, of: "a")], 1: [try Self.part(1..<6, of: "b")]],
            opening: try Self.part(0..<4, of: "a"),
            asked
        )
        _ = try source.bytes(of: 2, in: 0, InterruptFlag())
        try source.grow(InterruptFlag())
        #expect(asked.withLock { $0 } == [0] && source.lead.segments.count == 5)
    }
}
