// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Segments that are made of the parts which a live source lists")
struct SegmentPartsTests {
    /// A load of a playlist of segments of one second, each of two parts.
    ///
    /// - Parameters:
    ///   - open: the number of parts of the segment after the last one.
    ///   - before: lines before those parts.
    ///   - prefix: the beginning of all URIs.
    ///   - duration: EXTINF of the last segment.
    ///   - hint: the part that the playlist hints at, if that is not the next one.
    private static func load(
        _ segments: Range<Int>,
        open: Int = 0,
        before: String = "",
        prefix: String = "",
        duration: String = "1",
        hint: String? = nil,
        hasEnded: Bool = false
    ) throws -> ListContent {
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-MEDIA-SEQUENCE:\(segments.lowerBound)"]
        lines += ["#EXT-X-PART-INF:PART-TARGET=0.5", "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5"]
        func parts(_ segment: Int, _ count: Int) -> [String] {
            (0..<count).map { "#EXT-X-PART:DURATION=0.5,URI=\"\(prefix)\(segment).\($0)\"" }
        }
        for segment in segments {
            let length = segment + 1 == segments.upperBound ? duration : "1"
            lines += parts(segment, 2) + ["#EXTINF:\(length),", "\(prefix)\(segment).ts"]
        }
        let next = segments.upperBound
        lines += [before] + parts(next, open)
        let hint = hint ?? (open < 2 ? "\(next).\(open)" : "\(next + 1).0")
        lines += hasEnded ? ["#EXT-X-ENDLIST"] : ["#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"\(prefix)\(hint)\""]
        let bytes = Array(lines.joined(separator: "\n").utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/film.m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        return ListContent(parts: [ListPart(try SegmentList(playlist, name: "film"), playlist: playlist)], digest: "1")
    }

    /// The bytes of segments and of their parts.
    ///
    /// - Parameters:
    ///   - missing: the names of resources that do not exist.
    ///   - other: the segments whose parts have other bytes.
    ///   - interrupted: the name of the resource whose fetch is interrupted.
    private static func resources(
        missing: Set<String> = [],
        other: Set<Int> = [],
        interrupting interrupted: String? = nil
    ) -> ScriptedResources {
        var bodies: [String: [UInt8]] = [:]
        for segment in 0..<20 {
            bodies["\(segment).ts"] = [UInt8(segment), UInt8(segment + 100)]
            bodies["\(segment).0"] = [UInt8(segment)]
            bodies["\(segment).1"] = [other.contains(segment) ? 0 : UInt8(segment + 100)]
        }
        for name in missing { bodies[name] = nil }
        return ScriptedResources(
            Dictionary(uniqueKeysWithValues: bodies.map { ("http://host/\($0)", $1) }),
            interrupting: interrupted.map { "http://host/\($0)" }
        )
    }

    /// A source whose loads are scripted; the last one is repeated.
    private static func source(_ loads: [ListContent], _ resources: ScriptedResources) -> SegmentListSource {
        let rest = Locked(Array(loads.dropFirst()))
        return SegmentListSource(
            path: "http://host/film.m3u8",
            isRemote: true,
            loads[0],
            resources: resources,
            reload: { _, _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        )
    }

    private static func names(_ resources: ScriptedResources) -> [String] {
        resources.requests.map { String($0.dropFirst("http://host/".count)) }
    }

    private static func read(_ index: Int, _ source: SegmentListSource) throws(EngineError) -> [UInt8] {
        try source.bytes(of: index, in: 0, InterruptFlag())
    }

    /// A source of which segment 4 was fetched both ways, so that its parts are used from segment 5 on.
    private static func trusting(_ later: [ListContent], _ resources: ScriptedResources) throws -> SegmentListSource {
        let first = [try load(0..<4, open: 1), try load(0..<4, open: 2), try load(1..<5)]
        let source = source(first + later, resources)
        _ = try read(2, source)
        try source.grow(untilPart: true, InterruptFlag())
        try source.grow(untilPart: true, InterruptFlag())
        _ = try read(4, source)
        return source
    }

    @Test("the first segment is fetched both ways; from then on, parts replace segments, and can be read before them")
    func assembly() throws {
        let resources = Self.resources()
        let source = Self.source(
            [
                try Self.load(0..<4, open: 1), try Self.load(0..<4, open: 2), try Self.load(1..<5),
                try Self.load(1..<5, open: 1), try Self.load(1..<5, open: 2), try Self.load(2..<6),
            ],
            resources
        )
        let first = try Self.read(2, source)
        #expect(first == [2, 102])
        try source.grow(untilPart: true, InterruptFlag())
        #expect(Self.names(resources) == ["2.ts", "4.0", "4.1"])
        #expect(source.arriving(0).segments.count == 4, "it is not known yet whether parts stand for segments")
        try source.grow(untilPart: true, InterruptFlag())
        #expect(source.lead.segments.count == 5)
        let compared = try Self.read(4, source)
        #expect(compared == [4, 104] && Self.names(resources).last == "4.ts")
        try source.grow(untilPart: true, InterruptFlag())
        let (open, half) = (source.arriving(0), try Self.read(5, source))
        #expect(open.segments.count == 6 && open.segments[5].isOpen && open.segments[5].duration == .seconds(0.5))
        #expect(half == [5] && source.lead.segments.count == 5, "the segment is not listed yet")
        try source.grow(untilPart: true, InterruptFlag())
        let arrived = try Self.read(5, source)
        #expect(arrived == [5, 105])
        try source.grow(untilPart: true, InterruptFlag())
        let (whole, again) = (try Self.read(5, source), try Self.read(5, source))
        #expect(whole == [5, 105] && again == whole && source.lead.segments.count == 6)
        #expect(Self.names(resources) == ["2.ts", "4.0", "4.1", "4.ts", "5.0", "5.1"])
        #expect(source.takeNotices().isEmpty)
    }

    @Test("the last parts of a segment may be listed only with the segment")
    func lastPart() throws {
        let resources = Self.resources()
        let source = try Self.trusting([try Self.load(1..<5, open: 1), try Self.load(2..<6)], resources)
        try source.grow(untilPart: true, InterruptFlag())
        try source.grow(untilPart: true, InterruptFlag())
        let bytes = try Self.read(5, source)
        #expect(bytes == [5, 105] && !Self.names(resources).contains("5.ts"))
    }

    @Test("once the parts of a segment have other bytes than the segment, no more parts are fetched")
    func difference() throws {
        let resources = Self.resources(other: [4])
        let source = try Self.trusting([try Self.load(1..<5, open: 2), try Self.load(2..<6)], resources)
        #expect(source.takeNotices().map(\.code) == ["live.parts_unused"])
        try source.grow(untilPart: true, InterruptFlag())
        let bytes = try Self.read(5, source)
        #expect(bytes == [5, 105] && Self.names(resources) == ["2.ts", "4.0", "4.1", "4.ts", "5.ts"])
        #expect(source.takeNotices().isEmpty)
    }

    @Test("a segment of which a part is missing is fetched as a whole; parts of the next one are used")
    func missing() throws {
        let resources = Self.resources(missing: ["5.1"])
        let source = try Self.trusting(
            [
                try Self.load(1..<5, open: 1), try Self.load(1..<5, open: 2), try Self.load(2..<6),
                try Self.load(2..<6, open: 1), try Self.load(3..<7),
            ],
            resources
        )
        try source.grow(untilPart: true, InterruptFlag())
        // The missing part is nothing new, so this waits for the next segment.
        try source.grow(untilPart: true, InterruptFlag())
        #expect(source.lead.segments.count == 6)
        let whole = try Self.read(5, source)
        #expect(whole == [5, 105] && Self.names(resources).contains("5.ts"))
        try source.grow(untilPart: true, InterruptFlag())
        try source.grow(untilPart: true, InterruptFlag())
        let next = try Self.read(6, source)
        #expect(next == [6, 106] && !Self.names(resources).contains("6.ts"))
    }

    @Test("the part at which the playlist hints is requested before it is listed")
    func hints() throws {
        let resources = Self.resources()
        let source = try Self.trusting([try Self.load(1..<5, open: 1), try Self.load(2..<6)], resources)
        #expect(resources.expected == ["http://host/5.0"])
        try source.grow(untilPart: true, InterruptFlag())
        #expect(resources.expected == ["http://host/5.1"])
        try source.grow(untilPart: true, InterruptFlag())
        #expect(resources.expected == ["http://host/6.0"])
    }

    @Test("what was requested before an interruption is given up later")
    func interruptedHints() throws {
        let resources = Self.resources(interrupting: "5.0")
        let source = try Self.trusting([try Self.load(1..<5, open: 1), try Self.load(3..<7)], resources)
        #expect(throws: EngineError.self) { try source.grow(untilPart: true, InterruptFlag()) }
        #expect(resources.expected == ["http://host/5.1"])
        try source.grow(untilPart: true, InterruptFlag())
        #expect(resources.expected == ["http://host/7.0"])
    }

    @Test("a part at which the playlist hints, but which never comes, is given up")
    func falseHint() throws {
        let resources = Self.resources()
        let loads = [try Self.load(1..<5, open: 1, hint: "5.9"), try Self.load(1..<5, open: 2)]
        let source = try Self.trusting(loads, resources)
        try source.grow(untilPart: true, InterruptFlag())
        #expect(resources.expected == ["http://host/5.9"])
        try source.grow(untilPart: true, InterruptFlag())
        #expect(resources.expected == ["http://host/6.0"])
        let bytes = try Self.read(5, source)
        #expect(bytes == [5, 105])
    }

    @Test(
        "parts after a discontinuity, with missing media, or that cannot be decrypted are not fetched",
        arguments: [
            "#EXT-X-DISCONTINUITY", "#EXT-X-GAP", "#EXT-X-PART:DURATION=0.5,URI=\"x\",GAP=YES",
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
        ]
    )
    func obstacles(line: String) throws {
        let resources = Self.resources()
        let source = try Self.trusting(
            [try Self.load(1..<5, open: 1, before: line), try Self.load(2..<6)],
            resources
        )
        try source.grow(untilPart: true, InterruptFlag())
        #expect(source.lead.segments.count == 6)
        let whole = try Self.read(5, source)
        #expect(whole == [5, 105] && Self.names(resources) == ["2.ts", "4.0", "4.1", "4.ts", "5.ts"])
    }

    @Test("parts are fetched only while the end of the list is read")
    func nearness() throws {
        let resources = Self.resources()
        let loads = [
            try Self.load(0..<4, open: 1), try Self.load(0..<4, open: 2), try Self.load(1..<5),
            try Self.load(6..<10, open: 1),
        ]
        let unread = Self.source(loads, resources)
        try unread.grow(untilPart: true, InterruptFlag())
        #expect(unread.lead.segments.count == 5 && resources.requests.isEmpty && resources.expected.isEmpty)
        try unread.grow(untilPart: true, InterruptFlag())
        #expect(resources.requests.isEmpty)
    }

    @Test("parts of a segment with another number, as of a server that begins again, are not fetched")
    func otherNumber() throws {
        let resources = Self.resources()
        let empty = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:1000\n#EXT-X-PART-INF:PART-TARGET=0.5\n"
        // These are more parts than are known of the incomplete segment, so they count as new.
        let text = empty + "#EXT-X-PART:DURATION=0.5,URI=\"z.0\"\n#EXT-X-PART:DURATION=0.5,URI=\"z.1\"\n"
        guard case .media(let playlist) = try HLSPlaylist.parse(Array(text.utf8), url: "http://host/film.m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        let other = ListContent(parts: [ListPart(SegmentList([]), playlist: playlist)], digest: "1")
        let source = try Self.trusting([try Self.load(1..<5, open: 1), other, try Self.load(2..<6)], resources)
        try source.grow(untilPart: true, InterruptFlag())
        try source.grow(untilPart: true, InterruptFlag())
        #expect(source.lead.segments.count == 6 && !Self.names(resources).contains { $0.hasPrefix("z") })
    }

    @Test("when the playlist begins again, a segment keeps its announced parts, and new segments follow it")
    func restart() throws {
        let resources = Self.resources()
        let source = try Self.trusting(
            [try Self.load(1..<5, open: 1), try Self.load(1..<4, prefix: "o")],
            resources
        )
        try source.grow(untilPart: true, InterruptFlag())
        source.announceParts(ofSegment: 5)
        try source.grow(untilPart: true, InterruptFlag())
        let list = source.lead
        #expect(list.segments[5].isOpen && list.segments[5].duration == .seconds(0.5) && list.groups == [0, 6])
        #expect(list.segments[6].resource.url == "http://host/o1.ts" && list.segments[6].start == .seconds(5.5))
        let kept = try Self.read(5, source)
        #expect(kept == [5])
        #expect(source.takeNotices().map(\.code) == ["live.sequence_reset"])
    }

    @Test("when the playlist ends, an incomplete segment remains only if it was announced", arguments: [false, true])
    func ends(isAnnounced: Bool) throws {
        let source = try Self.trusting(
            [try Self.load(1..<5, open: 1), try Self.load(1..<5, hasEnded: true)],
            Self.resources()
        )
        try source.grow(untilPart: true, InterruptFlag())
        if isAnnounced { source.announceParts(ofSegment: 5) }
        try source.grow(untilPart: true, InterruptFlag())
        #expect(source.growth == nil && source.lead.segments.count == (isAnnounced ? 6 : 5))
    }

    @Test("a segment is at least as long as what was announced of it")
    func durations() throws {
        let source = try Self.trusting(
            [
                try Self.load(1..<5, open: 2), try Self.load(2..<6, duration: "0.9"),
                try Self.load(3..<7, duration: "0.9"),
            ],
            Self.resources()
        )
        try source.grow(untilPart: true, InterruptFlag())
        source.announceParts(ofSegment: 5)
        try source.grow(untilPart: true, InterruptFlag())
        try source.grow(untilPart: true, InterruptFlag())
        #expect(source.lead.segments[5...].map(\.duration) == [.seconds(1), .seconds(0.9)])
    }

    @Test("trust is given or refused once, and pauses grow with failures in a row")
    func trust() {
        var trust = PartTrust()
        #expect(!trust.isGiven && trust.fetches(0))
        #expect(!trust.compared(isSame: true) && !trust.compared(isSame: false) && trust.isGiven)
        for (failed, next) in [(3, 4), (4, 6), (6, 10), (10, 18)] {
            trust.failed(in: failed)
            #expect(!trust.fetches(next - 1) && trust.fetches(next))
        }
        trust.completed()
        trust.failed(in: 20)
        #expect(trust.fetches(21))
        var refused = PartTrust()
        #expect(refused.compared(isSame: false) && !refused.compared(isSame: false))
        #expect(!refused.isGiven && !refused.fetches(100))
    }
}
