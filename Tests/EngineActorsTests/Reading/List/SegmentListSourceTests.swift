// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Sources that are lists")
struct SegmentListSourceTests {
    /// Resources in memory, by the last letters of their URL.
    private final class ScriptedResources: ListResources {
        private let bodies: [String: [UInt8]]
        private let log = Locked<[String]>([])

        init(_ bodies: [String: [UInt8]]) { self.bodies = bodies }

        var requests: [String] { log.withLock { $0 } }
        var traffic: SourceTraffic { SourceTraffic() }

        func fetchList(interrupt: InterruptFlag) throws(EngineError) -> FetchedResource {
            FetchedResource(bytes: bodies["list"] ?? [], url: "list")
        }

        func fetch(
            _ resource: ListedResource,
            byteLimit: Int,
            observer: @escaping @Sendable (SourceWait?) -> Void,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            log.withLock { $0.append(resource.url) }
            observer(.silent)
            guard let body = bodies[resource.url] else {
                throw EngineError(.sourceNotFound, "\(resource.url) was not found", cause: "status 404")
            }
            return FetchedResource(bytes: body, url: resource.url)
        }
    }

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
            reload: { interrupt throws(EngineError) in
                let list = try resources.fetchList(interrupt: interrupt)
                let signed = entries.map { entry in
                    var entry = entry
                    entry.resource = ListedResource(url: entry.resource.url.replacing("key=1", with: "key=2"))
                    return entry
                }
                return .init(parts: [.init(SegmentList(signed))], digest: String(decoding: list.bytes, as: UTF8.self))
            }
        )
    }

    @Test("a list that grows takes what follows, ignores an older version, and ends with its playlist")
    func growth() throws {
        @Sendable func list(_ count: Int) -> SegmentList {
            SegmentList(
                (0..<count).map { .init(resource: .init(url: "http://host/\($0).ts?\(count)"), duration: .seconds(4)) }
            )
        }
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-PLAYLIST-TYPE:EVENT\n#EXTINF:1,\n0.ts\n"
        guard case .media(let growing) = try HLSPlaylist.parse(Array(text.utf8), url: "http://host/film.m3u8") else {
            Issue.record("not a media playlist")
            return
        }
        let counts = Locked([2, 3, 5])
        let source = SegmentListSource(
            path: "http://host/film.m3u8",
            isRemote: true,
            .init(parts: [.init(list(3))], digest: "1", growing: growing),
            resources: ScriptedResources([:]),
            reload: { _ in
                let count = counts.withLock { $0.isEmpty ? 6 : $0.removeFirst() }
                return .init(parts: [.init(list(count))], digest: "", growing: count == 6 ? nil : growing)
            }
        )
        #expect(source.growth != nil)
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.count == 5 && source.growth != nil && counts.withLock(\.isEmpty))
        try source.grow(InterruptFlag())
        #expect(source.lead.segments.count == 6 && source.growth == nil)
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

    @Test("what is missing is named, without the query of its URL's signature")
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

    @Test("after a refresh the list is fetched again first; it must say the same", arguments: ["1", "2"])
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
            reload: { _ throws(EngineError) in throw EngineError(.internal, "a list was loaded again") }
        )
        var asked: [Int] = []
        func find(_ group: Int) throws(EngineError) -> (anchor: MediaTime, configuration: [UInt8]) {
            asked.append(group)
            return group == 0 ? (.seconds(10), [1]) : (.seconds(1), [2])
        }
        #expect(source.configuration(ofGroup: 1) == nil)
        for _ in 1...2 {
            let clock = try source.clock(ofGroup: 1, in: 0, find: find)
            #expect(clock.offset == .seconds(17) && clock.start == .seconds(8))
        }
        #expect(asked == [0, 1])
        #expect(source.configuration(ofGroup: 0) == [1] && source.configuration(ofGroup: 1) == [2])
    }

    @Test("segments that were not used for long make room, but never the last one")
    func cache() {
        var cache = SegmentCache()
        let names = (0..<3).map { ListedResource(url: "\($0)") }
        let large = [UInt8](repeating: 0, count: SegmentCache.defaultByteLimit / 2)
        for name in names[0...1] { cache.add(large, of: name) }
        #expect(cache.take(names[0]) != nil)
        cache.add(large, of: names[2])
        #expect(cache.take(names[1]) == nil && cache.take(names[0]) != nil && cache.take(names[2]) != nil)
        cache.add([UInt8](repeating: 0, count: SegmentCache.defaultByteLimit + 1), of: names[1])
        #expect(cache.take(names[1]) != nil && cache.take(names[2]) == nil)
    }
}
