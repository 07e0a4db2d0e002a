// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing
import Transfers

@testable import Bindings
@testable import Reading

@Suite("Lists of segments")
struct SegmentListTests {
    /// - Parameter dates: when segments were recorded, by their index, in seconds.
    private static func list(
        _ durations: [Double],
        breaks: Set<Int> = [],
        dates: [Int: Double] = [:]
    ) -> SegmentList {
        SegmentList(
            durations.enumerated().map { index, duration in
                SegmentList.Entry(
                    resource: ListedResource(url: "http://host/\(index).ts"),
                    duration: .seconds(duration),
                    isDiscontinuous: breaks.contains(index),
                    date: dates[index].map { WallTime(microseconds: Int64($0 * 1e6)) }
                )
            }
        )
    }

    @Test("segments are reported with what the list holds and their durations, which make no difference to their bytes")
    func reported() {
        let map = ListedResource(url: "http://host/i", as: .initSegment)
        let part = ListedResource(url: "http://host/0", isPart: true).reported(as: .media, lasting: .seconds(1))
        var entry = SegmentList.Entry(resource: ListedResource(url: "http://host/a"), map: map, duration: .seconds(4))
        entry.pieces = [part]
        let segment = SegmentList([entry], holding: .audio).following(1, of: .seconds(4)).segments[1]
        #expect(segment.resource.object == RequestedObject(.audio, lasting: .seconds(4)))
        #expect(segment.head?.object == RequestedObject(.audio))
        #expect(segment.map?.object == RequestedObject(.initSegment))
        #expect(segment.pieces.map(\.object) == [RequestedObject(.audio, lasting: .seconds(1))])
        #expect(segment.resource == entry.resource && Set([segment.resource]).contains(entry.resource))
    }

    @Test("a list starts later than another one by the difference of their dates, unless the two could not overlap")
    func offsets() {
        let lead = Self.list([4, 4, 4], dates: [0: 1000])
        #expect(Self.list([6, 6], dates: [0: 998.5]).offset(from: lead) == .seconds(-1.5))
        #expect(Self.list([6, 6], dates: [0: 1004]).offset(from: lead) == .seconds(4))
        #expect(Self.list([6, 6], dates: [0: 4600]).offset(from: lead) == nil)
        #expect(Self.list([6, 6], dates: [0: 988]).offset(from: lead) == nil)
        #expect(Self.list([6, 6]).offset(from: lead) == nil && lead.offset(from: Self.list([4])) == nil)
        let entries = [SegmentList.Entry(resource: ListedResource(url: "http://host/a"), duration: .seconds(4))]
        let late = SegmentList(entries + entries, startingAt: .seconds(2))
        #expect(late.segments.map(\.start.seconds) == [2, 6] && late.duration == .seconds(10))
        #expect([0, 5.9, 6, 99].map { late.segment(at: .seconds($0)) } == [0, 0, 1, 1])
    }

    @Test("a segment that is read first keeps its URL when all are signed again, even if the first entries are gaps")
    func renaming() {
        func entry(_ name: String, isGap: Bool = false) -> SegmentList.Entry {
            SegmentList.Entry(resource: ListedResource(url: name), duration: .seconds(2), isGap: isGap)
        }
        var list = SegmentList([entry("a", isGap: true), entry("b"), entry("c")], slides: true)
        for index in 0..<3 { list.rename(index, entry("signed-\(index)")) }
        #expect(list.segments.map(\.resource.url) == ["signed-0", "b", "signed-2"])
    }

    @Test(
        "a sliding list is placed beside another by dates, by numbers or at its end, and read from the same time"
    )
    func liveLists() throws {
        func playlist(_ segments: Range<Int>, dates: Bool = false) throws -> HLSMediaPlaylist {
            let date = dates ? "#EXT-X-PROGRAM-DATE-TIME:2026-11-23T12:00:0\(segments.lowerBound % 10)Z\n" : ""
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(segments.lowerBound)\n" + date
            let text = head + segments.map { "#EXTINF:1,\n\($0).ts\n" }.joined()
            guard case .media(let found) = try HLSPlaylist.parse(Array(text.utf8), url: "http://host/a.m3u8") else {
                throw EngineError(.internal, "not a media playlist")
            }
            return found
        }
        func beside(_ segments: Range<Int>, dates: Bool = false) throws -> SegmentList {
            let leading = try playlist(2..<8, dates: dates)
            let lead = try SegmentList(leading, name: "a")
            #expect(lead.entrance == 3 && lead.slides)
            return try SegmentList(playlist(segments, dates: dates), name: "b", beside: lead, of: leading)
        }
        let numbered = try beside(4..<8)
        #expect(numbered.segments[0].start == .seconds(2) && numbered.entrance == 1 && numbered.slides)
        let dated = try beside(3..<7, dates: true)
        #expect(dated.segments[0].start == .seconds(1) && dated.entrance == 2)
        var apart = try beside(70..<74)
        #expect(apart.segments[0].start == .seconds(2) && apart.duration == .seconds(6))
        apart.move(by: .seconds(-0.5))
        #expect(apart.segments.map(\.start.seconds) == [1.5, 2.5, 3.5, 4.5] && apart.duration == .seconds(5.5))
    }

    @Test("groups of two lists are paired by date, otherwise by number if there are as many, otherwise by time")
    func pairs() {
        let lead = Self.list([4, 4, 4, 4], breaks: [1, 2])
        #expect((0..<3).map { Self.list([1, 9, 6], breaks: [1, 2]).group(of: lead, pairedWith: $0) } == [0, 1, 2])
        #expect((0..<2).map { Self.list([7, 9], breaks: [1]).group(of: lead, pairedWith: $0) } == [0, 2])
        let dated = Self.list([4, 4, 4, 4], breaks: [1, 2], dates: [0: 100, 1: 104, 2: 108, 3: 112])
        let own = Self.list([4, 4, 4], breaks: [1, 2], dates: [0: 104, 1: 108, 2: 108.5])
        #expect((0..<3).map { own.group(of: dated, pairedWith: $0) } == [1, 2, 2])
        #expect(own.group(of: lead, pairedWith: 0) == 0, "one of them states no dates")
    }

    @Test("of several groups that are equally near, the first one is taken, whether or not dates ascend")
    func nearest() {
        let breaks: Set<Int> = [1, 2, 3]
        let dates = [[100, 104, 104, 112], [112, 104, 100, 104], [104, 104, 104, 104]]
        let own = Self.list([1, 1, 1, 1, 1], breaks: [1, 2, 3, 4], dates: [0: 90, 1: 102, 2: 104, 3: 108.1, 4: 900])
        let expected = [[0, 0, 1, 3, 3], [2, 1, 1, 0, 0], [0, 0, 0, 0, 0]]
        for (dates, expected) in zip(dates, expected) {
            let stated = Dictionary(uniqueKeysWithValues: dates.enumerated().map { ($0.offset, Double($0.element)) })
            let lead = Self.list([4, 4, 4, 4], breaks: breaks, dates: stated)
            #expect((0..<5).map { own.group(of: lead, pairedWith: $0) } == expected)
            let pairing = GroupPairing(with: lead)
            #expect(pairing.last(in: own, upTo: 3) == 4 && pairing.last(in: own, upTo: -1) == nil)
        }
    }

    @Test("a segment begins where the durations before it end, and a group at each discontinuity")
    func places() {
        let list = Self.list([4, 4, 2.5, 4], breaks: [2])
        #expect(list.segments.map(\.start.seconds) == [0, 4, 8, 10.5])
        #expect(list.segments.map(\.group) == [0, 0, 1, 1])
        #expect(list.groups == [0, 2])
        #expect(list.duration == .seconds(14.5))
        #expect(Self.list([4, 4], breaks: [0]).groups == [0])
    }

    @Test("a gap is never the segment that describes its list or its group, unless there is no other")
    func gaps() {
        let gaps: Set<Int> = [0, 2, 4]
        let list = SegmentList(
            (0..<5).map { index in
                SegmentList.Entry(
                    resource: ListedResource(url: "\(index)"),
                    duration: .seconds(4),
                    isDiscontinuous: index == 2 || index == 4,
                    isGap: gaps.contains(index)
                )
            }
        )
        #expect(list.head == 1 && list.segments.map(\.isGap) == [true, false, true, false, true])
        #expect((0..<3).map { list.head(ofGroup: $0) } == [1, 3, 4])
    }

    @Test(
        "a time is in the segment whose durations contain it",
        arguments: [(-1.0, 0), (0, 0), (3.999, 0), (4, 1), (8, 2), (99, 2)]
    )
    func search(time: Double, segment: Int) {
        #expect(Self.list([4, 4, 2.5]).segment(at: .seconds(time)) == segment)
    }

    @Test(
        "a place leads back to its list, its segment and its byte",
        arguments: [(0, 0, 0), (0, 99_999, 7), (3, 1, 1 << 35)] as [(Int, Int, Int64)]
    )
    func position(list: Int, segment: Int, offset: Int64) {
        let place = ListPlace(list: list, segment: segment, offset: offset)
        #expect(ListPlace(position: place.position) == place)
        #expect(place.position < ListPlace(list: list, segment: segment + 1).position)
    }
}

@Suite("The clock of a list")
struct ListClockTests {
    private static let ticks = TimeBase(1, 90_000)
    private static let first = ListClock(anchor: .seconds(10), after: nil, start: .zero)

    private func placed(_ seconds: Double, by clock: ListClock, near start: Double, wraps: Bool = true) -> Double {
        let time = MediaTime.seconds(seconds).ticks(in: Self.ticks)
        return Self.ticks.seconds(
            clock.placed(time, in: Self.ticks, near: .seconds(start), wraps: wraps, target: Self.ticks)
        )
    }

    @Test("the first group keeps its times")
    func sameTimes() {
        #expect(placed(14.5, by: Self.first, near: 4) == 14.5)
    }

    @Test("a group whose clock starts again begins where the playlist says")
    func restart() {
        let clock = ListClock(anchor: .seconds(1.4), after: Self.first, start: .seconds(8))
        #expect(abs(placed(1.4, by: clock, near: 8) - 18) < 1e-4)
        #expect(abs(placed(3.4, by: clock, near: 10) - 20) < 1e-4)
    }

    @Test("a clock of 33 bits may wrap any number of times", arguments: [0, 1, 2, 3])
    func wraps(turns: Int) {
        let turn = Double(Int64(1) << 33) / 90_000
        let start = Double(turns) * turn + 5
        #expect(abs(placed(15, by: Self.first, near: start) - (start + 10)) < 1e-3)
    }

    @Test("in a segment in which the clock wraps, each time stays on its side of the wrap")
    func withinSegment() {
        let turn = Double(Int64(1) << 33) / 90_000
        #expect(abs(placed(turn - 0.5, by: Self.first, near: turn - 10) - (turn - 0.5)) < 1e-3)
        #expect(abs(placed(0.5, by: Self.first, near: turn - 10) - (turn + 0.5)) < 1e-3)
    }

    @Test(
        "a segment that states a time far from its place is moved to its place",
        arguments: [(14.0, 0.0), (12.5, 0), (10, 4), (99, -85), (17.1, -3.1)]
    )
    func correction(first: Double, correction: Double) {
        let found = Self.first.deviation(of: .seconds(first), number: 1, near: .seconds(4))
        #expect(abs(found.seconds - correction) < 1e-6)
    }

    @Test("a difference that durations rounded to seconds explain is not corrected")
    func drift() {
        let first = MediaTime.seconds(1010 - 40)
        #expect(Self.first.deviation(of: first, number: 100, near: .seconds(1000)) == .zero)
        let exact = Self.first.deviation(of: first, number: 100, near: .seconds(1000), isExact: true)
        #expect(exact == .seconds(40), "these durations are not rounded to seconds")
    }

    @Test("a clock that does not wrap keeps a time far from its place")
    func noWrap() {
        #expect(placed(200_000, by: Self.first, near: 0, wraps: false) == 200_000)
    }
}

@Suite("Streams of a segment among those of its list")
struct StreamMatchTests {
    private static let video = StreamMatch.Stream(identifier: 256, kind: .video, codec: .h264)
    private static let audio = StreamMatch.Stream(identifier: 257, kind: .audio, codec: .aac)
    private static let known = [video, audio]

    private func stream(_ identifier: Int, _ kind: StreamKind, _ codec: CodecID) -> StreamMatch.Stream {
        StreamMatch.Stream(identifier: identifier, kind: kind, codec: codec)
    }

    @Test("the container's number decides, whatever the order")
    func byNumber() {
        #expect(StreamMatch.places(of: [Self.audio, Self.video], in: Self.known) == [1, 0])
        let two = Self.known + [stream(258, .audio, .aac)]
        #expect(StreamMatch.places(of: [two[2], two[1]], in: two) == [2, 1])
    }

    @Test("if the numbers differ, kind and codec decide, in order")
    func byKind() {
        let found = [stream(500, .audio, .aac), stream(501, .video, .h264)]
        #expect(StreamMatch.places(of: found, in: Self.known) == [1, 0])
    }

    @Test("a stream of another kind matches none of the list's streams")
    func unknown() {
        let found = [stream(256, .data, CodecID(rawValue: "timed_id3")), Self.audio]
        #expect(StreamMatch.places(of: found, in: Self.known) == [nil, 1])
        #expect(StreamMatch.places(of: [Self.video], in: Self.known) == [0])
    }

    @Test("video of another codec is that of the list, unless the segment has video with the list's codec")
    func otherVideo() {
        let hevc = stream(300, .video, .hevc)
        #expect(StreamMatch.places(of: [Self.audio, hevc], in: Self.known) == [1, 0])
        #expect(StreamMatch.places(of: [hevc, stream(301, .video, .h264)], in: Self.known) == [nil, 0])
        #expect(StreamMatch.places(of: [hevc], in: [Self.audio]) == [nil], "audio is of another kind")
        let none = CodecID(rawValue: "none")
        #expect(StreamMatch.places(of: [stream(300, .video, none)], in: Self.known) == [nil])
    }

    @Test("audio of another codec is that of the list, unless the segment has audio with the list's codec")
    func otherAudio() {
        let ac3 = stream(300, .audio, .ac3)
        #expect(StreamMatch.places(of: [Self.video, ac3], in: Self.known) == [0, 1])
        #expect(StreamMatch.places(of: [ac3, stream(301, .audio, .aac)], in: Self.known) == [nil, 1])
        let two = Self.known + [stream(258, .audio, .aac)]
        #expect(StreamMatch.places(of: [stream(258, .audio, .mp3), ac3], in: two) == [2, 1], "the number comes first")
        #expect(StreamMatch.places(of: [stream(257, .video, .hevc)], in: two) == [0], "video is of another kind")
    }

    @Test("layers of MPEG audio are the same codec")
    func layers() {
        let known = [stream(256, .audio, .mp2), stream(257, .audio, .aac)]
        #expect(StreamMatch.places(of: [stream(300, .audio, .aac), stream(301, .audio, .mp3)], in: known) == [1, 0])
    }

    @Test("a stream whose codec is not known yet is matched by its number")
    func unidentified() {
        let none = CodecID(rawValue: "none")
        #expect(
            StreamMatch.places(of: [stream(257, .data, none), stream(9, .data, none)], in: Self.known) == [1, nil]
        )
    }
}
