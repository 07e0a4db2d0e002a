// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Opens a local transport stream whose video continues in another codec or under another packet identifier, as a list of
/// segments: each has a demuxer of its own, and what lists can do where the video changes applies
/// ([decision 60](../../../../docs/decisions/0060-files-whose-video-changes.md)).
struct PartsOpener {
    private let file: RegularFile
    private let caches: ListCaches

    init(_ file: RegularFile, caches: ListCaches) { (self.file, self.caches) = (file, caches) }

    /// The list; `nil` for any other source.
    func open(_ interrupt: InterruptFlag) throws(EngineError) -> SegmentListSource? {
        let read = file.reading(interrupt)
        guard let parts = try TransportParts(byteCount: file.byteCount, read: read) else { return nil }
        let url = file.name.fileURL
        let entries = try parts.segments(read: read).map { segment in
            SegmentList.Entry(
                resource: ListedResource(url: url, range: segment.range),
                duration: segment.duration,
                isDiscontinuous: segment.isDiscontinuous
            )
        }
        guard !entries.isEmpty else { return nil }
        let lists = [ListPart(SegmentList(entries), isIndependent: true)]
        let content = ListContent(parts: lists, digest: ListPresentation.digest(of: lists))
        let source = SegmentListSource(
            path: file.path,
            isRemote: false,
            content,
            resources: PartResources(file, parts)
        ) { _, _ in content }
        caches.add(source)
        return source
    }
}

/// The segments of a local transport stream.
private struct PartResources: ListResources {
    private let file: RegularFile
    private let parts: TransportParts

    init(_ file: RegularFile, _ parts: TransportParts) { (self.file, self.parts) = (file, parts) }

    var traffic: SourceTraffic { SourceTraffic() }

    func fetch(
        _ resource: ListedResource,
        byteLimit: Int,
        observer: @escaping @Sendable (SourceDelivery) -> Void,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        let range = resource.range ?? 0..<file.byteCount
        guard range.count <= Int64(byteLimit) else {
            throw EngineError(
                .resourceExhausted,
                "\(file.path) has more than \(byteLimit >> 20) MiB between two keyframes, the limit for a segment"
            )
        }
        try file.verify()
        let bytes = try parts.content(of: range, read: file.reading(interrupt))
        return FetchedResource(bytes: bytes, url: resource.url)
    }

    /// There is no list to fetch: the file is complete.
    func fetchList(
        _ url: String?,
        _ directives: HLSDirectives?,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        throw EngineError(.internal, "\(file.path) has no playlist")
    }
}

extension RegularFile {
    fileprivate func reading(_ interrupt: InterruptFlag) -> TransportParts.Read {
        let cursor = cursor(interrupt)
        return { offset, count throws(EngineError) in try cursor.read(at: offset, count: count) }
    }
}
