// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Layouts of sources")
struct SourceLayoutTests {
    /// A kind of source that only this test knows. It has notices of its own, and is otherwise like one container.
    private final class UnknownKind: ByteSource, SourceLayout {
        static let notice = Notice(.info, "test.notice", "a notice")
        let path = "unknown"
        let identity = SourceIdentity.list(name: "unknown", digest: "")
        var byteCount: Int64 { 0 }
        var bytesRead: UInt64 { 0 }
        var isRemote: Bool { false }
        var notices: [Notice] { [Self.notice] }

        func cursor(_ interrupt: InterruptFlag) -> any ByteCursor {
            MemorySource([], name: "unknown", digest: "").cursor(interrupt)
        }

        func verify() throws(EngineError) {}
    }

    private struct NoResources: ListResources {
        var traffic: SourceTraffic { SourceTraffic() }

        func fetch(
            _ resource: ListedResource,
            byteLimit: Int,
            observer: @escaping @Sendable (SourceDelivery) -> Void,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource { throw EngineError(.sourceNotFound, "there are no resources") }

        func fetchList(
            _ url: String?,
            _ directives: HLSDirectives?,
            interrupt: InterruptFlag
        ) throws(EngineError) -> FetchedResource { throw EngineError(.sourceNotFound, "there are no resources") }
    }

    /// A list with a segment for each date; the third segment begins a group.
    private static func list(dates: [WallTime?], _ resources: any ListResources = NoResources()) -> SegmentListSource {
        let entries = dates.enumerated().map { index, date in
            SegmentList.Entry(
                resource: ListedResource(url: "http://host/\(index).ts"),
                duration: .seconds(4),
                isDiscontinuous: index == 2,
                date: date
            )
        }
        return SegmentListSource(
            path: "list",
            isRemote: false,
            .init(parts: [.init(SegmentList(entries))], digest: "1"),
            resources: resources,
            reload: { _, _ throws(EngineError) in throw EngineError(.internal, "the list was loaded again") }
        )
    }

    private static func opened(_ source: any ByteSource) throws -> OpenedSource {
        var opened = try DescribedSource().opened()
        opened.layout = source.layout
        return opened
    }

    @Test("a source whose bytes are one container lists nothing, and keeps its first configuration")
    func container() throws {
        let file = MemorySource([1], name: "file", digest: "1")
        let source = try Self.opened(file)
        #expect(file.layout.canEndWithIndex && !file.layout.decryptsSamples && file.layout.image == nil)
        #expect(source.dates.isEmpty && source.siblings.isEmpty && source.promisedTargetDuration == nil)
        #expect(source.firstVersion == 0 && source.knows(version: 1) && source.sample(ofVersion: 1) == nil)
        let failure = #expect(throws: EngineError.self) {
            try file.layout.sibling(1, origin: .zero, InterruptFlag())
        }
        #expect(failure?.code == .internal)
    }

    @Test("a kind of source states only what differs from a single container")
    func kind() throws {
        let source: any ByteSource = UnknownKind()
        #expect(source.layout.notices == [UnknownKind.notice])
        #expect(source.layout.canEndWithIndex && source.layout.segments == nil)
        guard case .container = source.layout.reading else {
            Issue.record("it is not read as a container")
            return
        }
    }

    @Test("a retry of a list reaches its resources, and a retry of a title reaches each of its parts once")
    func retry() throws {
        let resources = ScriptedResources([:])
        let list: any ByteSource = Self.list(dates: [nil], resources)
        list.retry()
        #expect(resources.retries == 1)
        let parts = [ScriptedSource([1, 2], isRemote: true), ScriptedSource([3])]
        let content = TitleSource.Content(
            kind: .bluRay,
            pieces: (parts + [parts[0]]).flatMap(\.file.pieces),
            timeline: TitleTimeline([.init(position: 0, entry: 0, start: 0, duration: 1)]),
            map: nil,
            name: nil,
            languages: [:],
            chapters: .times([]),
            titles: [],
            notices: []
        )
        let title: any ByteSource = TitleSource(MemoryDiscFiles([:]), number: 1, angle: 1, content)
        title.retry()
        #expect(parts.map(\.retries) == [1, 1])
    }

    @Test("listed segments state when they were recorded, and which of them reveals a configuration")
    func segments() throws {
        let date = WallTime(microseconds: 1_000_000)
        let source = try Self.opened(Self.list(dates: [nil, date, nil]))
        #expect(source.dates == [nil, date, nil])
        #expect(source.firstVersion == 0 && source.knows(version: 0) && !source.knows(version: 1))
        #expect(source.sample(ofVersion: 1) == 2 && source.sample(ofVersion: 2) == nil)
        #expect(try Self.opened(Self.list(dates: [nil, nil, nil])).dates.isEmpty)
    }
}
