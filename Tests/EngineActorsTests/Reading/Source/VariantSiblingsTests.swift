// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The other variants of a presentation", .timeLimit(.minutes(10)))
struct VariantSiblingsTests {
    /// Resources on a server that change.
    private final class Server: ListResources {
        private let bodies = Locked<[String: String]>([:])
        private let log = Locked<[String]>([])

        var requests: [String] { log.withLock { $0 } }
        var traffic: SourceTraffic { SourceTraffic() }

        func publish(_ name: String, _ text: String) { bodies.withLock { $0["http://host/\(name)"] = text } }

        func fetchList(
            _ url: String?,
            _ directives: HLSDirectives?,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            try body(url ?? "http://host/film.m3u8", "list")
        }

        func fetch(
            _ resource: ListedResource,
            byteLimit: Int,
            observer: @escaping @Sendable (SourceDelivery) -> Void,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            try body(resource.url, "resource")
        }

        var replaceable: any ListResources { Replaceable(server: self) }

        fileprivate func body(_ url: String, _ kind: String) throws(EngineError) -> FetchedResource {
            log.withLock { $0.append("\(kind) \(url)") }
            guard let text = bodies.withLock({ $0[url] }) else {
                throw EngineError(.sourceNotFound, "\(url) was not found")
            }
            return FetchedResource(bytes: Array(text.utf8), url: url)
        }
    }

    /// The resources of a server, for a list that another one replaces.
    private struct Replaceable: ListResources {
        let server: Server

        var traffic: SourceTraffic { SourceTraffic() }

        func fetchList(
            _ url: String?,
            _ directives: HLSDirectives?,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            try server.body(url ?? "http://host/film.m3u8", "replaceable list")
        }

        func fetch(
            _ resource: ListedResource,
            byteLimit: Int,
            observer: @escaping @Sendable (SourceDelivery) -> Void,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            try server.body(resource.url, "replaceable")
        }
    }

    private static let master = """
        #EXTM3U
        #EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,CODECS="avc1.64001E,mp4a.40.2"
        low.m3u8
        #EXT-X-STREAM-INF:BANDWIDTH=3000,RESOLUTION=1280x720,CODECS="avc1.64001F,mp4a.40.2"
        high.m3u8

        """

    private static func media(_ name: String, _ count: Int, type: String?, ends: Bool) -> String {
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-INDEPENDENT-SEGMENTS"]
        if let type { lines.append("#EXT-X-PLAYLIST-TYPE:\(type)") }
        for number in 0..<count { lines += ["#EXTINF:1,", "\(name)\(number).ts"] }
        return (lines + (ends ? ["#EXT-X-ENDLIST", ""] : [""])).joined(separator: "\n")
    }

    private static func playlist(_ text: String, _ name: String) throws -> HLSPlaylist {
        try HLSPlaylist.parse(Array(text.utf8), url: "http://host/\(name)", importing: [:])
    }

    /// The variants of a presentation whose higher one is played.
    private static func variants(_ server: Server, type: String?, ends: Bool) throws -> ListVariants {
        guard case .multivariant(let found) = try playlist(master, "film.m3u8"),
            case .media(let media) = try playlist(media("high", 4, type: type, ends: ends), "high.m3u8")
        else { throw EngineError(.sourceNotMedia, "not these playlists") }
        let loader = PlaylistLoader(path: "film", resources: server, caches: ListCaches())
        let choice = try VariantChoice(found.variants, for: LoadOptions(), of: "film")
        return VariantSiblings(of: found, loader, isRemote: true).variants(choice, playing: 1, media)
    }

    /// What a playlist is, and who switches between the variants of its presentation.
    struct Case: Sendable, CustomTestStringConvertible {
        let type: String?
        let ends: Bool
        let isByPlayers: Bool
        var testDescription: String { "\(type ?? "no type"), \(ends ? "complete" : "not complete")" }
    }

    private static let cases = [
        Case(type: "VOD", ends: true, isByPlayers: true),
        Case(type: "VOD", ends: false, isByPlayers: true),
        Case(type: nil, ends: true, isByPlayers: true),
        Case(type: "EVENT", ends: true, isByPlayers: true),
        Case(type: "EVENT", ends: false, isByPlayers: true),
        Case(type: nil, ends: false, isByPlayers: false),
    ]

    @Test("players switch, and the software path by itself; in a window that moves, the engine does", arguments: cases)
    func switching(each: Case) throws {
        let found = try Self.variants(Server(), type: each.type, ends: each.ends)
        #expect(found.siblings.map(\.variant.index) == (each.isByPlayers ? [0] : []))
        #expect((found.ladder == nil) == each.isByPlayers && (found.readable != nil) == each.isByPlayers)
        #expect((found.ladder ?? found.readable)?.current == 1)
        #expect(found.all.map(\.use) == [each.isByPlayers ? .offered : .unused, .played])
    }

    @Test("the playlist of a variant that may grow is never taken from a cache; the variant grows until it ends")
    func growth() throws {
        let (server, interrupt) = (Server(), InterruptFlag())
        let variants = try Self.variants(server, type: "EVENT", ends: false)
        server.publish("low.m3u8", Self.media("low", 3, type: "EVENT", ends: false))
        let source = try variants.open(.init(index: 0, isStale: false, originOffset: nil), interrupt)
        #expect(source.growth != nil && !source.slides && source.lead.segments.count == 3)
        server.publish("low.m3u8", Self.media("low", 5, type: "EVENT", ends: false))
        try source.grow(interrupt)
        #expect(source.lead.segments.map(\.resource.url).suffix(2) == ["http://host/low3.ts", "http://host/low4.ts"])
        server.publish("low.m3u8", Self.media("low", 6, type: "EVENT", ends: true))
        try source.grow(interrupt)
        #expect(source.growth == nil && source.lead.segments.count == 6)
        #expect(Set(server.requests) == ["list http://host/low.m3u8"])
    }

    @Test("a variant whose window moves is not opened beside one that only grows")
    func window() throws {
        let (server, interrupt) = (Server(), InterruptFlag())
        let variants = try Self.variants(server, type: "EVENT", ends: false)
        server.publish("low.m3u8", Self.media("low", 6, type: nil, ends: false))
        let failure = #expect(throws: EngineError.self) {
            try variants.open(.init(index: 0, isStale: false, originOffset: nil), interrupt)
        }
        #expect(failure?.code == .noPlayableStream && failure?.message.contains("http://host/low.m3u8") == true)
        server.publish("low.m3u8", Self.media("low", 6, type: nil, ends: true))
        #expect(try variants.open(.init(index: 0, isStale: false, originOffset: nil), interrupt).growth == nil)
    }

    @Test("a variant has the segments of its own playlist, whatever the one that is played lists")
    func counts() throws {
        let (server, interrupt) = (Server(), InterruptFlag())
        let variants = try Self.variants(server, type: "EVENT", ends: false)
        for count in [2, 4, 7] {
            server.publish("low.m3u8", Self.media("low", count, type: "EVENT", ends: false))
            let source = try variants.open(.init(index: 0, isStale: false, originOffset: nil), interrupt)
            let plan = source.plan(for: .fixture(), measured: 0, holdsBack: false)
            #expect(plan.segmentCount == count && !plan.isComplete)
        }
    }

    @Test("the playlist of a complete variant is fetched once")
    func complete() throws {
        let (server, interrupt) = (Server(), InterruptFlag())
        let variants = try Self.variants(server, type: "VOD", ends: true)
        server.publish("low.m3u8", Self.media("low", 3, type: "VOD", ends: true))
        let source = try variants.open(.init(index: 0, isStale: false, originOffset: nil), interrupt)
        #expect(source.growth == nil && source.lead.segments.count == 3)
        #expect(server.requests == ["resource http://host/low.m3u8"])
    }

    @Test("a variant that the opened one replaces is fetched with less patience")
    func replaceable() throws {
        let (server, interrupt) = (Server(), InterruptFlag())
        let variants = try Self.variants(server, type: "VOD", ends: true)
        for name in ["low.m3u8", "low0.ts"] {
            server.publish(name, Self.media("low", 3, type: "VOD", ends: true))
        }
        let opening = ListVariants.Opening(index: 0, isStale: false, originOffset: nil, isReplaceable: true)
        _ = try variants.open(opening, interrupt).cursor(interrupt).read(at: 0, count: 1)
        #expect(server.requests == ["replaceable http://host/low.m3u8", "replaceable http://host/low0.ts"])
    }
}
