// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Sources that are lists")
struct SegmentListSourceTests {
    private static func source(_ resources: ScriptedResources, count: Int, map: String? = nil) -> SegmentListSource {
        let entries = (0..<count).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "http://host/\(index).ts?key=1"),
                map: map.map { ListedResource(url: $0) },
                duration: .seconds(4)
            )
        }
        return SegmentListSource(
            path: "http://host/film.m3u8",
            isRemote: true,
            .init(parts: [.init(SegmentList(entries))], digest: "1"),
            resources: resources,
            reload: { _, interrupt throws(EngineError) in
                let list = try resources.fetchList(nil, nil, interrupt: interrupt)
                let signed = entries.map { entry in
                    var entry = entry
                    entry.resource = ListedResource(url: entry.resource.url.replacing("key=1", with: "key=2"))
                    return entry
                }
                return .init(parts: [.init(SegmentList(signed))], digest: String(decoding: list.bytes, as: UTF8.self))
            }
        )
    }

    /// A load of a playlist of segments of one second.
    ///
    /// - Parameters:
    ///   - tags: lines that apply to the playlist.
    ///   - open: lines for the parts of the segment that is not complete.
    private static func load(
        _ segments: Range<Int>,
        kind: String = "",
        tags: String = "",
        open: String = "",
        hasEnded: Bool = false
    ) throws(HLSPlaylistError) -> ListContent {
        let lines = segments.map { "#EXTINF:1,\n\($0).ts?\(segments.count)\n" }.joined()
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(segments.lowerBound)\n"
        let text = head + tags + (kind.isEmpty ? "" : "#EXT-X-PLAYLIST-TYPE:\(kind)\n") + lines + open
        let bytes = Array((text + (hasEnded ? "#EXT-X-ENDLIST\n" : "")).utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/film.m3u8"),
            let list = try? SegmentList(playlist, name: "film")
        else { return ListContent(parts: [], digest: "") }
        return ListContent(parts: [ListPart(list, playlist: playlist)], digest: "1")
    }

    /// A source whose loads are scripted; the last one is repeated.
    private static func growing(
        _ loads: [ListContent],
        _ resources: ScriptedResources = ScriptedResources([:]),
        after noted: Int = 0
    ) -> SegmentListSource {
        let rest = Locked(Array(loads.dropFirst()))
        return SegmentListSource(
            path: "http://host/film.m3u8",
            isRemote: true,
            loads[0],
            after: noted,
            resources: resources,
            reload: { _, _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        )
    }

    @Test("each segment that was fetched is a delivery; one that is missing or cached is none")
    func deliveries() throws {
        let resources = ScriptedResources(["http://host/0.ts?key=1": [7]])
        let cursor = Self.source(resources, count: 2).cursor(InterruptFlag())
        #expect(resources.deliveries == 0)
        for _ in 0..<2 { #expect(try cursor.read(at: 0, count: 1) == [7]) }
        #expect(throws: EngineError.self) { try cursor.read(at: ListPlace(segment: 1).position, count: 1) }
        #expect(resources.deliveries == 1)
    }

    @Test("a growing list takes new segments, ignores an older version, and ends with its playlist")
    func growth() throws {
        let source = Self.growing([
            try Self.load(0..<3, kind: "EVENT"), try Self.load(0..<2, kind: "EVENT"),
            try Self.load(0..<5, kind: "EVENT"),
            try Self.load(0..<6, kind: "EVENT", hasEnded: true),
        ])
        #expect(source.growth != nil && source.live?.targetLatency == .seconds(3) && !source.slides)
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.count == 5 && source.growth != nil)
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.count == 6 && source.growth == nil && source.live == nil)
        #expect(source.takeNotices().isEmpty && source.oldest == 0)
    }

    @Test("a list with parts states a reserve instead of a target latency, and how old its newest segment is")
    func parts() throws {
        let tags = "#EXT-X-PART-INF:PART-TARGET=0.25\n#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=2\n"
        func part(_ number: Int) -> String { "#EXT-X-PART:DURATION=0.25,URI=\"\(number)\"\n" }
        let source = Self.growing([
            try Self.load(10..<15, tags: tags, open: part(0) + part(1)), try Self.load(10..<16, tags: tags),
            try Self.load(11..<17, tags: tags, open: part(0)),
        ])
        let (opened, first) = (monotonicNanoseconds(), try #require(source.live))
        #expect(first.targetLatency == nil && first.reserve == .seconds(2) && first.newest == .seconds(5))
        #expect(try #require(first.monotonicNanoseconds) <= opened - 500_000_000)
        try source.grow(InterruptFlag())
        let begun = monotonicNanoseconds()
        try source.grow(InterruptFlag())
        let last = try #require(source.live)
        #expect(last.newest == .seconds(7) && last.reserve == .seconds(2))
        #expect(try #require(last.monotonicNanoseconds) >= begun - 250_000_000)
        #expect(try #require(last.monotonicNanoseconds) <= monotonicNanoseconds() - 250_000_000)
    }

    @Test(
        "in a sliding list, indices and times stay; of segments that left it, only the first one read can be read"
    )
    func window() throws {
        let names = (10..<20).map { ("http://host/\($0).ts?5", [UInt8($0)]) }
        let resources = ScriptedResources(Dictionary(uniqueKeysWithValues: names))
        let source = Self.growing(
            [try Self.load(10..<15), try Self.load(14..<19), try Self.load(18..<20, hasEnded: true)],
            resources
        )
        let cursor = source.cursor(InterruptFlag())
        #expect(source.slides && source.lead.entrance == 2 && source.lead.head == 2)
        #expect(try cursor.read(at: ListPlace(segment: 2).position, count: 1) == [12])
        #expect(try cursor.read(at: 0, count: 1) == [12], "its beginning is where it is read first")
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.count == 9 && source.oldest == ListPlace(segment: 4).position)
        #expect(source.lead.segments.map(\.start.seconds) == (0..<9).map { Double($0) })
        #expect(try cursor.read(at: ListPlace(segment: 8).position, count: 1) == [18])
        let failure = #expect(throws: EngineError.self) {
            try cursor.read(at: ListPlace(segment: 3).position, count: 1)
        }
        #expect(failure?.code == .sourceNotReadable && failure?.message.contains("oldest segment is 4") == true)
        #expect(try cursor.read(at: ListPlace(segment: 2).position, count: 1) == [12])
        #expect(resources.requests.count == 2)
        try source.grow(InterruptFlag())
        #expect(source.growth == nil && source.slides && source.oldest == ListPlace(segment: 8).position)
    }

    @Test("a list that restarts continues as a discontinuity; segments that were never listed are reported")
    func restarts() throws {
        let source = Self.growing([
            try Self.load(10..<15), try Self.load(20..<23), try Self.load(0..<3), try Self.load(0..<4),
        ])
        try source.grow(InterruptFlag())
        #expect(source.lead.groups == [0, 5] && source.takeNotices().map(\.code) == ["live.segments_missed"])
        // A playlist that is older three times in a row has restarted.
        try source.grow(InterruptFlag())
        #expect(source.lead.groups == [0, 5, 8] && source.lead.segments.count >= 11)
        #expect(source.takeNotices().map(\.code) == ["live.sequence_reset"])
        // As many segments stay as the longest load listed: five.
        #expect(source.oldest == ListPlace(segment: source.lead.segments.count - 5).position)
    }

    @Test("after a crash, indices, versions and times continue those of the earlier process")
    func resumption() throws {
        let resources = ScriptedResources(["http://host/12.ts?5": [12]])
        let source = Self.growing([try Self.load(10..<15), try Self.load(13..<18)], resources, after: 7)
        let first = 107
        #expect(source.lead.segments.count == first + 5 && source.oldest == ListPlace(segment: first).position)
        #expect(
            source.lead.entrance == first + 2 && source.lead.reference == first && source.lead.groups.count == first + 1
        )
        #expect(source.lead.segments[first].start == .seconds(Double(first)) && source.lead.head == first + 2)
        let cursor = source.cursor(InterruptFlag())
        #expect(try cursor.read(at: ListPlace(segment: first + 2).position, count: 1) == [12])
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.count == first + 8 && source.oldest == ListPlace(segment: first + 3).position)
        #expect(source.lead.groups.count == first + 1 && source.takeNotices().isEmpty)
    }

    @Test("a list with nothing new for 3.5 target durations has stalled, until a segment arrives")
    func stall() throws {
        let source = Self.growing([try Self.load(0..<3), try Self.load(0..<3)])
        try source.grow(InterruptFlag())
        #expect(source.live?.isStalled == true && source.lead.segments.count == 3)
        #expect(source.takeNotices().map(\.code) == ["live.ingest_stalled"])
        // Until then, a wait for the next segment fails.
        let failure = #expect(throws: EngineError.self) { try source.awaitSegment(3, InterruptFlag()) }
        #expect(failure?.code == .unavailable)
        try source.awaitSegment(2, InterruptFlag())
        source.endGrowth()
        try source.awaitSegment(3, InterruptFlag())
    }

    @Test("a missing segment of a list that slides becomes a gap; one that has just been listed is requested again")
    func loss() throws {
        let source = Self.growing([try Self.load(0..<6), try Self.load(2..<8)])
        let missing = EngineError(.sourceNotFound, "nothing is there")
        #expect(source.loss(of: 5, in: 0, because: missing) == .early)
        #expect(source.loss(of: 3, in: 0, because: missing) == .lost)
        #expect(source.loss(of: 3, in: 0, because: EngineError(.sourceUnreachable, "")) == .none)
        source.lose(3, of: 0, because: missing)
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.map(\.isGap) == (0..<8).map { $0 == 3 } && source.lead.head == 4)
        #expect(source.loss(of: 1, in: 0, because: missing) == .none)
        #expect(source.takeNotices().map(\.code) == ["live.segment_lost"])
        let complete = Self.growing([try Self.load(0..<6, hasEnded: true)])
        #expect(complete.loss(of: 3, in: 0, because: missing) == .none)
    }

    @Test("a byte is read at its place in its segment, after the init segment; a read ends with its segment")
    func reading() throws {
        let resources = ScriptedResources([
            "http://host/0.ts?key=1": [1, 2, 3], "http://host/1.ts?key=1": [4, 5, 6], "http://host/init": [9],
        ])
        let cursor = Self.source(resources, count: 2, map: "http://host/init").cursor(InterruptFlag())
        #expect(try cursor.read(at: 0, count: 16) == [9, 1, 2, 3])
        #expect(try cursor.read(at: ListPlace(segment: 1, offset: 2).position, count: 16) == [5, 6])
        #expect(try cursor.read(at: ListPlace(segment: 2).position, count: 16).isEmpty)
        #expect(try cursor.read(at: ListPlace(segment: 0, offset: 9).position, count: 16).isEmpty)
        #expect(resources.requests.count == 3, "the init segment is fetched once")
    }

    @Test("a segment that is missing is named, and its URL is shown without the signed query")
    func missing() throws {
        let source = Self.source(ScriptedResources([:]), count: 2)
        let failure = #expect(throws: EngineError.self) {
            try source.cursor(InterruptFlag()).read(at: ListPlace(segment: 1).position, count: 1)
        }
        #expect(failure?.code == .sourceNotFound)
        #expect(failure?.message.hasPrefix("segment 1 of http://host/film.m3u8 cannot be read: ") == true)
        #expect(source.shownURL(of: 1, in: 0) == "http://host/1.ts")
    }

    @Test("a raised flag ends reads before anything is fetched")
    func interruption() {
        let resources = ScriptedResources(["http://host/0.ts?key=1": [1]])
        let flag = InterruptFlag()
        flag.raise()
        let failure = #expect(throws: EngineError.self) {
            try Self.source(resources, count: 1).cursor(flag).read(at: 0, count: 1)
        }
        #expect(failure?.code == .cancelled && resources.requests.isEmpty)
    }

    @Test("after a refresh, the list is fetched again first, and must be unchanged", arguments: ["1", "2"])
    func refresh(digest: String) throws {
        let resources = ScriptedResources([
            "http://host/0.ts?key=1": [1], "http://host/0.ts?key=2": [2], "list": Array(digest.utf8),
        ])
        let source = Self.source(resources, count: 1)
        let cursor = source.cursor(InterruptFlag())
        #expect(try cursor.read(at: 0, count: 1) == [1])
        source.refresh()
        guard digest == "1" else {
            let failure = #expect(throws: EngineError.self) { try cursor.read(at: 0, count: 1) }
            #expect(failure?.code == .sourceChanged)
            return
        }
        #expect(try cursor.read(at: 0, count: 1) == [2])
    }

    @Test("the clock of a group is found once, from the group's first segment and that of the list")
    func clocks() throws {
        let entries = (0..<4).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "http://host/\(index).ts"),
                duration: .seconds(4),
                isDiscontinuous: index == 2
            )
        }
        let source = SegmentListSource(
            path: "list",
            isRemote: false,
            .init(parts: [.init(SegmentList(entries))], digest: "1"),
            resources: ScriptedResources([:]),
            reload: { _, _ throws(EngineError) in throw EngineError(.internal, "a list was loaded again") }
        )
        var asked: [Int] = []
        func find(_ group: Int) throws(EngineError) -> ListGroups.Found {
            asked.append(group)
            return group == 0
                ? .init(segment: 0, anchor: .seconds(10), configuration: [1])
                : .init(segment: 2, anchor: .seconds(1), configuration: [2])
        }
        #expect(source.configuration(ofGroup: 1) == nil)
        for _ in 1...2 {
            let clock = try source.clock(ofGroup: 1, in: 0, find: find)
            #expect(clock.offset == .seconds(17) && clock.start == .seconds(8))
        }
        #expect(asked == [0, 1])
        #expect(source.configuration(ofGroup: 0) == [1] && source.configuration(ofGroup: 1) == [2])
    }

    @Test("the least recently used segments make room, but neither the latest one nor those that are held")
    func cache() {
        var cache = SegmentCache()
        let names = (0..<3).map { ListedResource(url: "\($0)") }
        let large = [UInt8](repeating: 0, count: SegmentCache.defaultByteLimit / 2)
        for name in names[0...1] { cache.add(large, of: name) }
        #expect(cache.lookUp(names[0]) != nil)
        cache.add(large, of: names[2])
        #expect(cache.lookUp(names[1]) == nil && cache.lookUp(names[0]) != nil && cache.lookUp(names[2]) != nil)
        cache.add([UInt8](repeating: 0, count: SegmentCache.defaultByteLimit + 1), of: names[1])
        #expect(cache.lookUp(names[1]) != nil && cache.lookUp(names[2]) == nil)
        var holding = SegmentCache(holding: [names[0]])
        for name in names { holding.add(large, of: name) }
        #expect(holding.lookUp(names[0]) != nil && holding.lookUp(names[1]) == nil && holding.lookUp(names[2]) != nil)
    }

    @Test("while memory is short, the caches of all lists are smaller, including those opened meanwhile")
    func shortMemory() throws {
        let names = (0..<4).map { "http://host/\($0).ts?key=1" }
        let segment = [UInt8](repeating: 7, count: SegmentCache.defaultByteLimit / 4)
        let resources = ScriptedResources(Dictionary(uniqueKeysWithValues: names.map { ($0, segment) }))
        let sources = (0..<2).map { _ in Self.source(resources, count: names.count) }
        func read(_ indices: some Sequence<Int>, of source: SegmentListSource) throws {
            let cursor = source.cursor(InterruptFlag())
            for index in indices { _ = try cursor.read(at: ListPlace(segment: index).position, count: 1) }
        }
        func readAll(_ source: SegmentListSource) throws { try read(names.indices, of: source) }
        func kept(_ source: SegmentListSource) throws -> Int {
            let before = resources.requests.count
            // The segment that was used last comes first, so that a fetch drops none that is still to be read.
            try read(names.indices.reversed(), of: source)
            return names.count - (resources.requests.count - before)
        }
        let caches = ListCaches()
        caches.add(sources[0])
        try readAll(sources[0])
        #expect(try kept(sources[0]) == 4)
        try readAll(sources[0])
        caches.halve(1)
        #expect(try kept(sources[0]) == 2)
        caches.add(sources[1])
        try readAll(sources[1])
        #expect(try kept(sources[1]) == 2)
        try readAll(sources[1])
        caches.halve(4)
        #expect(try kept(sources[1]) == 1, "the segment that was used last is kept")
        caches.halve(0)
        try readAll(sources[0])
        #expect(try kept(sources[0]) == 4)
    }
}
