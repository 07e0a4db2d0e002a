// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The sources on servers that are in use or were opened recently, one for each URL and set of options, and their bytes
/// in memory and on disk. Decides which of them another caller may share.
///
/// Thread-safety: safe. Only `makeSource` blocks, and `open` if `make` does.
final class SourceCache: Sendable {
    /// Identifies a resource. The caller's header fields are part of it, because they may select another version.
    struct Key: Hashable {
        private let url: String
        private let credentials: HTTPCredentials?
        private let http: HTTPOptions
        /// Whether the source is a recording that a caller follows. Only `growing` finds it under this key.
        fileprivate var isGrowing = false

        init(_ url: ResourceURL, _ http: HTTPOptions) {
            self.url = url.text
            credentials = url.credentials
            self.http = http
        }

        fileprivate func growing(_ isGrowing: Bool = true) -> Key {
            var key = self
            key.isGrowing = isGrowing
            return key
        }
    }

    private struct Entry {
        weak var source: HTTPSource?
    }

    private struct State {
        private var entries: [Key: Entry] = [:]
        /// The sources whose servers have not answered yet.
        var opening: [Key: Entry] = [:]
        /// The most recently opened sources. They are kept so that a source that is probed and then loaded is fetched
        /// only once.
        var recent: [HTTPSource] = []

        var sources: [HTTPSource] { (Array(entries.values) + opening.values).compactMap(\.source) }

        /// A source that is being opened and has not failed.
        func running(_ key: Key) -> HTTPSource? { opening[key]?.source.flatMap { $0.failure == nil ? $0 : nil } }

        /// Assigning a source forgets those that were released.
        subscript(_ key: Key) -> HTTPSource? {
            get { entries[key]?.source }
            set {
                entries = entries.filter { $0.value.source != nil }
                entries[key] = Entry(source: newValue)
            }
        }

        mutating func remove(_ source: HTTPSource) { entries = entries.filter { $0.value.source !== source } }
    }

    /// The number of sources that are kept while no reader uses them.
    private static let recentLimit = 4
    /// The time after the last contact for which a source is assumed to be unchanged, in nanoseconds.
    private static let freshness: Int64 = 30_000_000_000

    private let memory = RangeCache()
    private let disk: DiskCache?
    private let state = Locked(State())

    /// - Parameter disk: keeps fetched bytes for later sources and processes; `nil` keeps them in memory only.
    init(_ disk: DiskCache?) { self.disk = disk }

    /// A new source, which no other caller shares yet. Blocks until the list of sources on disk has been read.
    ///
    /// - Parameters:
    ///   - isOnDisk: whether its bytes are kept on disk, too.
    ///   - leader: the source that names this one.
    func makeSource(
        _ configuration: HTTPSourceConfiguration,
        by carrier: any TransferCarrier,
        isOnDisk: Bool,
        namedBy leader: HTTPSource? = nil
    ) -> HTTPSource {
        let disk = isOnDisk ? disk : nil
        disk?.prepare()
        return HTTPSource(configuration, loop: carrier, cache: memory, disk: disk, namedBy: leader)
    }

    /// The source that another caller is opening, so that callers which come while the server has not answered wait for
    /// the same request; a new one if there is none. Every caller calls `endOpening` when it has waited.
    ///
    /// - Parameter make: makes a source; may block.
    func open(_ key: Key, _ make: () -> HTTPSource) -> HTTPSource {
        if let source = state.withLock({ $0.running(key) }) { return source }
        // Outside the lock, because it blocks.
        let source = make()
        return state.withLock { state in
            if let other = state.running(key) { return other }
            state.opening[key] = Entry(source: source)
            return source
        }
    }

    /// Later callers make a source of their own, unless this one was added.
    func endOpening(_ source: HTTPSource) {
        state.withLock { $0.opening = $0.opening.filter { $0.value.source != nil && $0.value.source !== source } }
    }

    /// A source that another caller has opened, if it can be read from its start and is assumed to be unchanged.
    func fresh(_ key: Key) -> HTTPSource? {
        state.withLock { $0[key] }.flatMap { Self.isShareable($0) && Self.isFresh($0) ? $0 : nil }
    }

    /// A recording that another caller follows.
    func growing(_ key: Key) -> HTTPSource? {
        state.withLock { $0[key.growing()] }.flatMap { Self.isGrowing($0) ? $0 : nil }
    }

    /// Adds a source whose server has answered.
    ///
    /// - Returns: the source, or one of the same version that another caller has opened.
    func add(opened source: HTTPSource, as key: Key) -> HTTPSource {
        state.withLock { state in
            // The next caller opens the file as it is then.
            if source.isRecording { return source }
            // If an open source has the same version, use it and the bytes that it already has. Another caller may have
            // opened it in the meantime.
            if let other = state[key], Self.isShareable(other), other.state == source.state,
                other.state.tag != nil || Self.isFresh(other)
            {
                return other
            }
            state[key] = source
            // Keep no source with a window, which uses much memory and a connection.
            guard source.isSeekable else { return source }
            state.recent.append(source)
            if state.recent.count > Self.recentLimit { state.recent.removeFirst() }
            return source
        }
    }

    /// Adds a source that an open source names. It is released with its last reader.
    func add(named source: HTTPSource, as key: Key) { state.withLock { $0[key] = source } }

    /// See `HTTPSources.follow`.
    func follow(_ source: HTTPSource, as key: Key) -> HTTPSource {
        guard source.isRecording, source.growth == nil else { return source }
        return state.withLock { state in
            if let other = state[key.growing()], Self.isGrowing(other) { return other }
            source.follow()
            state[key.growing()] = source
            return source
        }
    }

    /// From now on, finds a source under another key only.
    func move(_ source: HTTPSource, to key: Key) {
        let key = key.growing(source.isRecording)
        state.withLock { state in
            state.remove(source)
            state[key] = source
        }
    }

    /// The sources that are in use or were opened recently.
    var sources: [HTTPSource] { state.withLock(\.sources) }

    /// Whether another reader can read from the start.
    private static func isShareable(_ source: HTTPSource) -> Bool {
        // A stream that has ended because its codec changed goes on for the next reader.
        source.failure == nil && source.oldest == 0 && !source.reception.isReplaced
    }

    /// Whether another reader can follow a file that is being written.
    private static func isGrowing(_ source: HTTPSource) -> Bool {
        source.isRecording && source.growth != nil && source.failure == nil
    }

    private static func isFresh(_ source: HTTPSource) -> Bool {
        monotonicNanoseconds() - source.lastContact < freshness
    }
}

/// The bytes.
extension SourceCache {
    /// Sets the limit of the memory to its full size halved `times` times.
    func halve(_ times: Int) { memory.halve(times) }

    /// The cached bytes of sources that are in use, were recently opened, or are on disk.
    var report: SourceCacheReport {
        let listings = disk.map(\.listings) ?? []
        let inUse = self.sources
        // After a refresh, the URL of a source differs from the one from which its copy on disk was first fetched.
        let current = Dictionary(
            inUse.compactMap { source in source.diskKey.map { ($0, source.path) } },
            uniquingKeysWith: { first, _ in first }
        )
        var sources: [SourceCacheReport.Source] =
            listings.map { listing in
                SourceCacheReport.Source(
                    url: current[listing.key] ?? listing.url,
                    byteCount: UInt64(listing.byteCount),
                    memoryByteCount: 0,
                    diskByteCount: UInt64(listing.keptByteCount),
                    lastUseUnixMicroseconds: listing.lastUse,
                    isInUse: listing.isInUse
                )
            }
        for source in inUse {
            let (url, memory) = (source.path, UInt64(source.memoryByteCount))
            let byteCount = UInt64(source.state.byteCount ?? 0)
            let copy = source.diskKey.flatMap { key in listings.firstIndex { $0.key == key } }
            if let known = copy ?? sources.firstIndex(where: { $0.url == url && $0.byteCount == byteCount }) {
                sources[known].memoryByteCount += memory
                sources[known].isInUse = true
            } else if memory > 0 {
                let now = wallClockSeconds() * 1_000_000
                sources.append(
                    SourceCacheReport.Source(
                        url: url,
                        byteCount: byteCount,
                        memoryByteCount: memory,
                        diskByteCount: 0,
                        lastUseUnixMicroseconds: now,
                        isInUse: true
                    )
                )
            }
        }
        var report = SourceCacheReport(
            memory: SourceCacheReport.Store(byteCount: UInt64(memory.byteCount), byteLimit: UInt64(memory.byteLimit))
        )
        if let disk {
            report.disk = SourceCacheReport.Store(byteCount: UInt64(disk.byteCount), byteLimit: UInt64(disk.byteLimit))
            report.directory = disk.directory
            report.problem = disk.problem ?? ""
        }
        report.sources = sources.sorted { $0.lastUseUnixMicroseconds > $1.lastUseUnixMicroseconds }
        return report
    }

    /// See `HTTPSources.clearCache`.
    func clear(_ url: String?) async -> SourceCacheClearing {
        let chosen = report.sources.filter { url == nil || $0.url == url }
        let cleared = sources.filter { url == nil || $0.path == url }
        for source in cleared { source.dropMemory() }
        // A source that nobody uses ends here, outside the lock. Its pending writes are done before the disk is
        // cleared.
        _ = state.withLock { state -> [HTTPSource] in
            defer { state.recent.removeAll { url == nil || $0.path == url } }
            return state.recent
        }
        await disk?.clear(url, and: Set(cleared.compactMap(\.diskKey)))
        return SourceCacheClearing(
            sources: chosen.count,
            byteCount: chosen.reduce(0) { $0 + $1.memoryByteCount + $1.diskByteCount }
        )
    }
}
