// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading
@testable import Segments
@testable import Sessions

@Suite("A variant that a player requests", .timeLimit(.minutes(10)))
struct OpenedVariantTests {
    /// Fails every fetch: no segment is read.
    private struct Nothing: ListResources {
        var traffic: SourceTraffic { SourceTraffic() }

        func fetchList(
            _ url: String?,
            _ directives: HLSDirectives?,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            throw EngineError(.internal, "a list was fetched")
        }

        func fetch(
            _ resource: ListedResource,
            byteLimit: Int,
            observer: @escaping @Sendable (SourceDelivery) -> Void,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource {
            throw EngineError(.internal, "\(resource.url) was fetched")
        }
    }

    /// A load of the variant's playlist, whose segments last a second.
    private static func load(_ count: Int, hasEnded: Bool = false) throws -> ListContent {
        let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-PLAYLIST-TYPE:EVENT"]
        let lines = (0..<count).flatMap { ["#EXTINF:1,", "\($0).ts"] }
        let text = (head + lines + (hasEnded ? ["#EXT-X-ENDLIST", ""] : [""])).joined(separator: "\n")
        guard case .media(let playlist) = try HLSPlaylist.parse(Array(text.utf8), url: "http://host/low.m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        let list = try SegmentList(playlist, name: "low")
        return ListContent(parts: [ListPart(list, isIndependent: true, playlist: playlist)], digest: "")
    }

    /// - Parameter loads: the loads of the playlist after the first one; the last load is repeated.
    private static func opened(_ first: ListContent, _ loads: Locked<[ListContent]>) throws -> OpenedSource {
        let list = SegmentListSource(
            path: "low",
            isRemote: true,
            first,
            resources: Nothing(),
            reload: { _, _ in loads.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        )
        let described = try DescribedSource().opened()
        return OpenedSource(
            file: list,
            layout: list,
            container: .segmentList,
            edits: .any,
            media: described.media,
            tracks: described.tracks,
            origin: .zero,
            // As when a source is opened.
            indexPlan: list.plan(for: described.lead, measured: 0, holdsBack: true),
            trackEnds: [nil],
            notices: []
        )
    }

    private static func variant(_ source: OpenedSource) async throws(EngineError) -> OpenedVariant {
        let demuxer = Demuxer(name: "test", source: source)
        return try await OpenedVariant(source, demuxer, targetDuration: 1, LoadOptions(), budget: 1 << 20)
    }

    private static func listed(_ variant: OpenedVariant) -> Int { variant.media.plan.segmentCount }

    @Test("lists what its own playlist lists from the first answer on, and grows until that playlist ends")
    func growth() async throws {
        let source = try Self.opened(Self.load(3), Locked([Self.load(5), Self.load(6, hasEnded: true)]))
        #expect(source.indexPlan?.segmentCount == 2, "the plan with which it was opened is shorter")
        var variant = try await Self.variant(source)
        #expect(Self.listed(variant) == 3 && variant.isGrowing)
        var notices = await variant.grow()
        #expect(notices?.isEmpty == true && Self.listed(variant) == 5 && variant.isGrowing)
        notices = await variant.grow()
        #expect(notices?.isEmpty == true && Self.listed(variant) == 6 && !variant.isGrowing)
        await variant.media.producer.end().value
    }

    @Test("keeps its segments if its playlist has nothing new, which is reported, and lists those that follow")
    func stall() async throws {
        let loads = Locked([try Self.load(3)])
        var variant = try await Self.variant(try Self.opened(Self.load(3), loads))
        let stall = await variant.grow()
        #expect(stall?.map(\.code) == ["live.ingest_stalled"] && Self.listed(variant) == 3 && variant.isGrowing)
        let next = try Self.load(4)
        loads.withLock { $0 = [next] }
        let end = await variant.grow()
        #expect(end?.map(\.code) == ["live.ingest_resumed"] && Self.listed(variant) == 4 && variant.isGrowing)
        await variant.media.producer.end().value
    }

    @Test("has its whole plan at once if it is complete, and does not grow")
    func complete() async throws {
        let source = try Self.opened(Self.load(3, hasEnded: true), Locked([]))
        var variant = try await Self.variant(source)
        #expect(Self.listed(variant) == 3 && !variant.isGrowing)
        let notices = await variant.grow()
        #expect(notices == nil)
        await variant.media.producer.end().value
    }

    @Test("waits if its playlist lists too little, and the wait can be cancelled")
    func cancelled() async throws {
        // Without a promise about keyframes, a single segment is held back.
        var first = try Self.load(1)
        let part = try #require(first.parts.first)
        first = ListContent(parts: [ListPart(part.list, playlist: part.playlist)], digest: "")
        let source = try Self.opened(first, Locked([first]))
        let waiting = Task { () -> EngineError? in
            do throws(EngineError) { _ = try await Self.variant(source) } catch { return error }
            return nil
        }
        waiting.cancel()
        let failure = await waiting.value
        #expect(failure?.code == .cancelled)
    }
}
