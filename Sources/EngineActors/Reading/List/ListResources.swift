// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Transfers

/// A resource that was fetched.
package struct FetchedResource: Sendable {
    package let bytes: [UInt8]
    /// The URL after redirects, which resolves relative URLs in the resource.
    package let url: String

    package init(bytes: [UInt8], url: String) {
        self.bytes = bytes
        self.url = url
    }
}

/// Fetches the resources that a list names.
///
/// Thread-safety: safe. `fetch` blocks.
package protocol ListResources: Sendable {
    /// All bytes of a resource, or of its range if it has one.
    ///
    /// - Parameters:
    ///   - byteLimit: a longer resource fails with `resourceExhausted`.
    ///   - observer: called at the start and the end of each wait for the server.
    ///   - interrupt: ends the wait.
    func fetch(
        _ resource: ListedResource,
        byteLimit: Int,
        observer: @escaping @Sendable (SourceDelivery) -> Void,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource

    /// Begins to fetch in parallel the resources that will be passed to `fetch` next. Does not block; `fetch` reports
    /// errors.
    func expect(_ resources: [ListedResource])

    /// Gives up the expected resources among `resources` that were not fetched.
    func dismiss(_ resources: [ListedResource])

    /// A segment of a list has been fetched. From now on, until a server cannot be reached any more, failed requests are
    /// repeated for as long as those of a file that is being read.
    func delivered()

    /// The same resources, for a list that is only read instead of another one: each failed request is repeated a few
    /// times only, whatever has been delivered.
    var replaceable: any ListResources { get }

    /// Fetches the current content of a list, of at most `HLSLimits.bytes` bytes.
    ///
    /// - Parameters:
    ///   - url: the URL of a playlist that the source's list names; `nil` for that list itself, wherever it is now.
    ///   - directives: the directives of a scheduled load, whose failed requests are not repeated. `nil` for any other
    ///     load.
    func fetchList(
        _ url: String?,
        _ directives: HLSDirectives?,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource

    /// Whether the list with which the source was opened had been fetched earlier, for another reader, and may be
    /// outdated.
    var isListKept: Bool { get }

    /// The traffic of all fetches so far, including those of the list; all zero for files.
    var traffic: SourceTraffic { get }

    /// As `ByteSource.report`.
    func report(_ playback: @escaping @Sendable () -> PlaybackReport?)

    /// As `ByteSource.retry`, for the list and the expected resources.
    func retry()
}

extension ListResources {
    package var isListKept: Bool { false }
    package func report(_ playback: @escaping @Sendable () -> PlaybackReport?) {}
    package func retry() {}
    package func delivered() {}
    package var replaceable: any ListResources { self }
    package func expect(_ resources: [ListedResource]) {}
    package func dismiss(_ resources: [ListedResource]) {}
}

/// The resources that a list on a server names, on the same server or on others.
package final class ServedResources: ListResources {
    private struct Expected {
        let source: HTTPSource
        /// The cursor that requested the resource. The fetch continues only while it exists.
        let cursor: any ByteCursor
    }

    /// A part whose server is silent for this long is given up. A part that is requested before it is listed may be that late.
    private static let partPatience = Duration.seconds(5)
    /// The age in nanoseconds from which a live list may have changed.
    private static let freshness: Int64 = 500_000_000

    private let servers: HTTPSources
    /// The list itself.
    package let leader: HTTPSource
    private let http: Locked<HTTPOptions>
    /// The resources that are being fetched ahead of a call of `fetch`.
    private let expected = Locked<[ListedResource: Expected]>([:])
    /// The resource of which a range was fetched last: it keeps the bytes for the rest of the resource.
    private let partial = Locked<HTTPSource?>(nil)
    /// The traffic of resources that are no longer open.
    private let past: Locked<SourceTraffic>
    /// Whether segments of the presentation have been fetched since a server could not be reached.
    private let delivers: Locked<Bool>
    private let isReplaceable: Bool

    package init(_ servers: HTTPSources, namedBy leader: HTTPSource, _ http: HTTPOptions) {
        self.servers = servers
        self.leader = leader
        self.http = Locked(http)
        isListKept = monotonicNanoseconds() - leader.lastContact > Self.freshness
        (past, delivers, isReplaceable) = (Locked(SourceTraffic()), Locked(false), false)
    }

    /// - Parameter original: what is replaced. Options, traffic and deliveries are common to both.
    private init(replacing original: ServedResources) {
        (servers, leader, http) = (original.servers, original.leader, original.http)
        (past, delivers, isReplaceable) = (original.past, original.delivers, true)
        isListKept = original.isListKept
    }

    package var replaceable: any ListResources { ServedResources(replacing: self) }

    package func delivered() { delivers.withLock { $0 = true } }

    /// As for `RetryPolicy`.
    private var isPatient: Bool { !isReplaceable && delivers.withLock { $0 } }

    package var traffic: SourceTraffic {
        let sum = past.withLock { $0 }.adding(leader.traffic)
        return partial.withLock { $0 }.map { sum.adding($0.traffic) } ?? sum
    }

    package let isListKept: Bool

    package func report(_ playback: @escaping @Sendable () -> PlaybackReport?) { leader.report(playback) }

    package func retry() {
        leader.retry()
        // The fetch of any other resource makes a new source if the old one has failed.
        for resource in expected.withLock({ $0.values.map(\.source) }) { resource.retry() }
    }

    package func fetch(
        _ resource: ListedResource,
        byteLimit: Int,
        observer: @escaping @Sendable (SourceDelivery) -> Void,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        let begun = expected.withLock { $0.removeValue(forKey: resource) }
        defer { withExtendedLifetime(begun) {} }
        let source = if let begun { begun.source } else { try source(of: resource) }
        // The task ends with this call.
        let watch = Task { for await delivery in source.waits() { observer(delivery) } }
        defer {
            watch.cancel()
            leave(source, keeping: resource.range != nil)
        }
        do throws(EngineError) {
            let bytes = try bytes(of: source, in: resource.range, byteLimit: byteLimit, interrupt)
            return FetchedResource(bytes: bytes, url: source.currentRequest.url.base)
        } catch {
            // Like a file that is tried again after its failure.
            if error.code == .sourceUnreachable, !isReplaceable, !resource.isPart { delivers.withLock { $0 = false } }
            throw error
        }
    }

    /// The decoded bytes of a resource that is not encoded, or not in ranges: a range of an encoded resource cannot be
    /// decoded.
    private func bytes(
        of source: HTTPSource,
        in range: Range<Int64>? = nil,
        byteLimit: Int,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        do throws(EngineError) {
            return try source.wholeBytes(in: range, byteLimit: byteLimit, interrupt)
        } catch {
            guard range == nil, source.isEncoded else { throw error }
            return try servers.fetchDecoded(source, byteLimit: byteLimit, interrupt: interrupt)
        }
    }

    /// Counts the traffic of the resources that are not used any more.
    ///
    /// - Parameter isKept: whether another range of the resource may be fetched next.
    private func leave(_ source: HTTPSource, keeping isKept: Bool) {
        let old = partial.withLock { partial in
            defer { partial = isKept ? source : nil }
            return partial
        }
        for left in [old === source ? nil : old, isKept ? nil : source] {
            if let left { past.withLock { $0 = $0.adding(left.traffic) } }
        }
    }

    private func source(of resource: ListedResource) throws(EngineError) -> HTTPSource {
        // Each range is requested with `expect`, so nothing around it is fetched. A part may not have existed before,
        // and its file may have grown.
        try servers.resource(
            resource.url,
            namedBy: leader,
            http.withLock { $0 },
            as: resource.object,
            isWhole: true,
            isNew: resource.isPart,
            retries: !resource.isPart,
            delivers: isPatient,
            patience: resource.isPart ? Self.partPatience : nil
        )
    }

    package func expect(_ resources: [ListedResource]) {
        for resource in resources where expected.withLock({ $0[resource] == nil }) {
            do throws(EngineError) {
                let source = try source(of: resource)
                let cursor = source.cursor(InterruptFlag())
                cursor.expect([resource.range ?? 0..<HTTPSources.wholeByteCount])
                expected.withLock { $0[resource] = Expected(source: source, cursor: cursor) }
            } catch {
                // `fetch` reports it.
            }
        }
    }

    package func dismiss(_ resources: [ListedResource]) {
        let dismissed = expected.withLock { expected in resources.compactMap { expected.removeValue(forKey: $0) } }
        withExtendedLifetime(dismissed) {}
    }

    package func fetchList(
        _ url: String?,
        _ directives: HLSDirectives?,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        let list = leader.currentRequest.url
        let location = url ?? list.base
        let source = try servers.resource(
            // Only HTTP servers understand directives, whatever a copy of their playlist claims.
            list.scheme.isHTTP ? directives?.applied(to: location) ?? location : location,
            namedBy: leader,
            http.withLock { $0 },
            as: RequestedObject(.playlist),
            isWhole: true,
            isNew: true,
            retries: directives == nil,
            delivers: isPatient
        )
        defer { past.withLock { $0 = $0.adding(source.traffic) } }
        let bytes = try bytes(of: source, byteLimit: HLSLimits.bytes, interrupt)
        return FetchedResource(bytes: bytes, url: source.currentRequest.url.base)
    }

    /// From now on, fetches everything with other options, if the server of the list does not refuse them. Blocks. The
    /// list itself is compared when it is fetched again, because a list may grow.
    ///
    /// - Parameters:
    ///   - url: the new URL of the list.
    ///   - text: the same URL as the client wrote it.
    package func refresh(
        from url: ResourceURL,
        writtenAs text: String,
        _ http: HTTPOptions,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        try servers.refresh(
            leader,
            from: url,
            writtenAs: text,
            http,
            comparesVersion: false,
            interrupt: interrupt
        )
        follow(http)
    }

    /// The list itself is fetched with other options already. From now on, the resources that it names are fetched with these
    /// options too.
    package func follow(_ http: HTTPOptions) { self.http.withLock { $0 = http } }
}

/// The resources that a local list names: files in its folder, or in folders below that.
package struct FolderResources: ListResources {
    private let list: FilePath
    private let folder: FilePath

    /// - Parameter list: the path of the list.
    package init(of list: FilePath) {
        self.list = list
        folder = list.folder
    }

    package func fetchList(
        _ url: String?,
        _ directives: HLSDirectives?,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        let resource = ListedResource(url: url ?? list.fileURL)
        return try fetch(resource, byteLimit: HLSLimits.bytes, observer: { _ in }, interrupt: interrupt)
    }

    package var traffic: SourceTraffic { SourceTraffic() }

    package func fetch(
        _ resource: ListedResource,
        byteLimit: Int,
        observer: @escaping @Sendable (SourceDelivery) -> Void,
        interrupt: InterruptFlag
    ) throws(EngineError) -> FetchedResource {
        guard let path = FilePath(fileURL: resource.url) else {
            throw EngineError(
                .sourceNotReadable,
                "a local list names \(resource.url.prefix { $0 != "?" }), which is not a file"
            )
        }
        let start = folder.appending([]).bytes
        let name = Array(path.bytes.dropFirst(start.count))
        // `..` may be percent-encoded in the URL, so it is searched for in the decoded path.
        guard path.bytes.starts(with: start), !name.split(separator: 0x2F).contains([0x2E, 0x2E]) else {
            throw EngineError(
                .sourceNotReadable,
                "\(path) is not read: it lies outside the folder of the list that names it"
            )
        }
        let file: RegularFile
        do throws(RegularFile.OpenError) {
            file = try RegularFile(name, foundBeneath: folder)
        } catch {
            throw EngineError(error, path: path)
        }
        let bytes = try file.wholeBytes(in: resource.range, byteLimit: byteLimit, interrupt)
        return FetchedResource(bytes: bytes, url: resource.url)
    }
}

extension ByteSource {
    /// The bytes of a range of the source, or all of its bytes.
    func wholeBytes(
        in range: Range<Int64>? = nil,
        byteLimit: Int,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        let cursor = cursor(interrupt)
        let limit = Int64(byteLimit)
        let tooLong = EngineError(
            .resourceExhausted,
            "\(path) has more than \(byteLimit >> 20) MiB, the limit for one resource of a list"
        )
        let wanted = range ?? 0..<(.max)
        guard Int64(clamping: range?.count ?? 0) <= limit else { throw tooLong }
        if let range { cursor.expect([range]) }
        var bytes: [UInt8] = []
        while Int64(bytes.count) < wanted.upperBound - wanted.lowerBound {
            let offset = wanted.lowerBound + Int64(bytes.count)
            // The length of a resource on a server is unknown before its first byte has arrived.
            let isKnown = byteCount > 0 || !bytes.isEmpty
            let rest = Int(min(Self.pieceByteCount, wanted.upperBound - offset))
            let piece =
                isKnown
                ? try cursor.read(at: offset, count: rest)
                : try [UInt8](upTo: rest) { output throws(EngineError) in _ = try cursor.read(at: offset, into: &output)
                }
            if piece.isEmpty { break }
            bytes += piece
            guard Int64(bytes.count) <= limit else { throw tooLong }
        }
        guard !bytes.isEmpty else { throw EngineError(.sourceEmpty, "\(path) is empty") }
        guard range.map({ $0.count == bytes.count }) ?? true else {
            throw EngineError(
                .sourceNotReadable,
                "\(path) has no bytes \(wanted.lowerBound) to \(wanted.upperBound - 1), which a list names",
                cause: "it has \(byteCount) bytes"
            )
        }
        return bytes
    }

    private static var pieceByteCount: Int64 { 1 << 20 }
}

extension SourceTraffic {
    /// The sum of both; round trip and bandwidth are those of the later one, as far as it states them.
    fileprivate func adding(_ other: SourceTraffic) -> SourceTraffic {
        var sum = self
        sum.requests += other.requests
        sum.retries += other.retries
        sum.byteCount += other.byteCount
        sum.cacheHits += other.cacheHits
        sum.diskByteCount += other.diskByteCount
        sum.addReception(of: other)
        if other.roundTripMicroseconds > 0 { sum.roundTripMicroseconds = other.roundTripMicroseconds }
        if other.bytesPerSecond > 0 {
            sum.bytesPerSecond = other.bytesPerSecond
            sum.fastBytesPerSecond = other.fastBytesPerSecond
            sum.slowBytesPerSecond = other.slowBytesPerSecond
        }
        return sum
    }
}
