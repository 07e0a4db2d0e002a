// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
internal import Packaging

/// A source that is a list of segments, each of which is a container of its own, such as an HLS presentation.
///
/// As a `ByteSource` it is a sparse file in which each segment has a place of its own (`ListPlace`). `SourceReader` reads its
/// packets, segment by segment. What was fetched last is kept for all readers.
///
/// Thread-safety: safe. Reads block.
package final class SegmentListSource: ByteSource {
    /// What one list of the source holds.
    package struct Part: Sendable {
        package let list: SegmentList

        package init(_ list: SegmentList) { self.list = list }
    }

    private struct ClockKey: Hashable {
        let list: Int
        let group: Int
    }

    private struct State {
        var cache = SegmentCache()
        var clocks: [ClockKey: ListClock] = [:]
        var bytesRead: UInt64 = 0
        var wait: SourceWait?
        var observers: [UInt64: AsyncStream<SourceWait?>.Continuation] = [:]
        var lastObserver: UInt64 = 0
    }

    package let path: String
    package let identity: SourceIdentity
    package let isRemote: Bool
    /// The first one leads: its segments are those of the plan.
    package let parts: [Part]
    /// The peak in bits per second, as the list states it. 0: it does not.
    package let bitRate: Int64
    package let resources: any ListResources
    /// Notices for the user about the list.
    package let notices: [Notice]
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - digest: of what the list says.
    ///   - parts: the leading one first, none of them empty.
    package init(
        path: String,
        digest: String,
        isRemote: Bool,
        parts: [Part],
        bitRate: Int64 = 0,
        resources: any ListResources,
        notices: [Notice] = []
    ) {
        self.path = path
        self.isRemote = isRemote
        self.parts = parts
        self.bitRate = bitRate
        self.resources = resources
        self.notices = notices
        identity = .list(name: path, digest: digest)
    }

    package var lead: SegmentList { parts[0].list }

    // MARK: Segments

    /// The bytes of one segment, after those of its init segment if it has one.
    func bytes(of index: Int, in list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        let segment = parts[list].list.segments[index]
        do throws(EngineError) {
            let head = try segment.map.map { map throws(EngineError) in try bytes(of: map, interrupt) } ?? []
            let body = try bytes(of: segment.resource, interrupt)
            return head.isEmpty ? body : head + body
        } catch {
            if error.code == .cancelled { throw error }
            throw EngineError(
                error.code,
                "segment \(index) of \(path) cannot be read: \(error.message)",
                cause: error.cause
            )
        }
    }

    /// The first segment of the leading list.
    func head(_ interrupt: InterruptFlag) throws(EngineError) -> FormatContext {
        try OpenSegment.open(0, of: 0, in: self, interrupt)
    }

    /// The URL of a segment for messages: without user name, password and query.
    func shownURL(of index: Int, in list: Int) -> String {
        let url = parts[list].list.segments[index].resource.url
        guard !FilePath.isFileURL(url) else { return FilePath(fileURL: url)?.text ?? "a file" }
        do throws(ResourceURL.Failure) {
            return try ResourceURL(url).shown
        } catch {
            return "a malformed URL"
        }
    }

    private func bytes(of resource: ListedResource, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
        if let known = state.withLock({ $0.cache.take(resource) }) { return known }
        let observer: @Sendable (SourceWait?) -> Void = { [weak self] wait in self?.publish(wait) }
        defer { publish(nil) }
        let bytes = try resources.fetch(
            resource,
            byteLimit: SegmentCache.segmentLimit,
            observer: observer,
            interrupt: interrupt
        ).bytes
        state.withLock { state in
            state.cache.add(bytes, of: resource)
            state.bytesRead += UInt64(bytes.count)
        }
        return bytes
    }

    /// The clock of a group of segments.
    ///
    /// - Parameter find: finds out when the group's first segment is presented, as it states it. Called once per group
    ///   and process at least; the result is the same each time.
    func clock(
        ofGroup group: Int,
        in list: Int,
        find: (_ group: Int, _ list: Int) throws(EngineError) -> MediaTime
    ) throws(EngineError) -> ListClock {
        let key = ClockKey(list: list, group: group)
        if let known = state.withLock({ $0.clocks[key] }) { return known }
        let listed = parts[list].list
        let isFirst = list == 0 && group == 0
        let first = isFirst ? nil : try clock(ofGroup: 0, in: 0, find: find)
        let start = listed.segments[listed.groups[group]].start
        let clock = ListClock(anchor: try find(group, list), after: first, start: start)
        state.withLock { $0.clocks[key] = clock }
        return clock
    }

    // MARK: ByteSource

    /// Unknown: 0.
    package var byteCount: Int64 { 0 }
    package var bytesRead: UInt64 { state.withLock(\.bytesRead) }
    package var traffic: SourceTraffic { resources.traffic }

    /// What was fetched stays as it is; what is fetched later cannot be compared with anything.
    package func verify() throws(EngineError) {}

    package func waits() -> AsyncStream<SourceWait?> {
        let (stream, observer) = AsyncStream.makeStream(of: SourceWait?.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = observer
            return state.lastObserver
        }
        observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
        return stream
    }

    private func publish(_ wait: SourceWait?) {
        let observers = state.withLock { state -> [AsyncStream<SourceWait?>.Continuation] in
            guard state.wait != wait else { return [] }
            state.wait = wait
            return Array(state.observers.values)
        }
        for observer in observers { observer.yield(wait) }
    }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt) }

    private final class Cursor: ByteCursor {
        private let source: SegmentListSource
        private let interrupt: InterruptFlag

        init(_ source: SegmentListSource, _ interrupt: InterruptFlag) {
            self.source = source
            self.interrupt = interrupt
        }

        /// The end of the places.
        var byteCount: Int64 {
            ListPlace(list: source.parts.count - 1, segment: source.parts[source.parts.count - 1].list.segments.count)
                .position
        }

        /// A read ends with its segment.
        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0 else { return 0 }
            let place = ListPlace(position: offset)
            guard source.parts.indices.contains(place.list),
                source.parts[place.list].list.segments.indices.contains(place.segment)
            else { return 0 }
            let bytes = try source.bytes(of: place.segment, in: place.list, interrupt)
            guard place.offset < Int64(bytes.count) else { return 0 }
            let start = Int(place.offset)
            let count = min(output.freeCapacity, bytes.count - start)
            bytes.copy(start..<start + count, to: &output)
            return count
        }
    }
}
