// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// The copy of one source on disk. It is looked up by the version that the server states, if that identifies the bytes
/// (`VersionName`), and otherwise by the source's content once both ends of the source are in memory. From then on,
/// complete blocks are copied to disk as they arrive, incomplete ones when their request ends, and what is on disk is
/// not fetched again.
///
/// Thread-safety: safe. Only `load` reads the disk on the caller's thread.
final class DiskCopy: Sendable {
    private enum Phase {
        /// No response has arrived yet.
        case unknown
        /// The ends of the source are not in memory yet.
        case searching(ResourceState, edges: [Range<Int64>])
        /// The version that the server states is on disk.
        case found(BlockFile.Head)
        /// The copy is being looked up or opened on the thread of the cache.
        case identifying(ResourceState, edges: [Range<Int64>])
        case open(BlockFile)
        /// The source is not kept on disk.
        case none
    }

    private struct State {
        var phase = Phase.unknown
        /// The URL at which the server states the version: after redirects, with its query.
        var address: ResourceURL?
        /// Blocks in memory that are to be written.
        var pending: Set<Int64> = []
        /// Incomplete blocks in memory. They become pending when a request ends.
        var incomplete: Set<Int64> = []
    }

    /// Called on the thread of the cache.
    struct Callbacks: Sendable {
        /// The copy was found or created, or the source will have none.
        let settled: @Sendable () -> Void
        /// The source has changed: its bytes differ from the copy.
        let differs: @Sendable () -> Void
    }

    private static let blockByteCount = Int64(RangeCache.blockByteCount)

    private let cache: DiskCache
    private let memory: RangeCache
    private let source: RangeCache.Source
    private let url: String
    private let isSecure: Bool
    private let state = Locked(State())

    /// - Parameters:
    ///   - url: the URL of the source.
    init(in cache: DiskCache, of source: RangeCache.Source, in memory: RangeCache, url: ResourceURL) {
        self.cache = cache
        self.memory = memory
        self.source = source
        self.url = url.shown
        isSecure = url.origin.isSecure
    }

    private var file: BlockFile? {
        state.withLock { state in if case .open(let file) = state.phase { file } else { nil } }
    }

    /// Identifies the copy among those on disk. `nil` while there is none.
    var key: CacheKey? { file?.head.key }

    /// The bytes on disk.
    var held: RangeSet64 { file?.held ?? RangeSet64() }

    /// Begins the lookup after the first response, which states the version of the source.
    ///
    /// - Parameter address: the URL of this response, after redirects.
    /// - Returns: the ranges to fetch for the lookup, and whether a copy probably exists, so that nothing else should
    ///   be fetched before `settled` is called. `nil` if the source is not kept on disk, and once the lookup has begun.
    func begin(_ version: ResourceState, at address: ResourceURL) -> (edges: [Range<Int64>], isLikely: Bool)? {
        let edges = CacheKey.edges(version.byteCount)
        let known = edges == nil ? nil : VersionName(of: version, at: address.text).flatMap { cache.source($0) }
        let isFirst = state.withLock { state in
            guard case .unknown = state.phase, version.byteCount != nil else { return false }
            state.address = address
            state.phase =
                switch (edges, known) {
                case (nil, _): .none
                case (let edges?, nil): .searching(version, edges: edges)
                case (_?, let known?): .found(known)
                }
            return true
        }
        guard isFirst, let edges, let byteCount = version.byteCount else { return nil }
        return known == nil ? (edges, cache.mayHave(byteCount)) : ([], true)
    }

    /// Opens the copy that `begin` has found, if there is one. Call when the caller is ready for `settled`.
    func openFound(_ callbacks: Callbacks) {
        guard case .found(let head) = state.withLock(\.phase) else { return }
        cache.perform(isUrgent: true) { [weak self] in self?.open(head, callbacks) }
    }

    /// Gives up the copy, because the server does not support ranges, so that the bytes are kept in a window, or
    /// because the file is still being written.
    func abandon() {
        let old = state.withLock { state in
            defer { state.phase = .none }
            return state.phase
        }
        if case .open(let file) = old { cache.perform { [cache] in cache.close(file) } }
    }

    /// Call when bytes from the network were written to memory.
    func received(_ range: Range<Int64>, _ callbacks: Callbacks) {
        let held = memory.held(source)
        enum Work { case nothing, identify, flush }
        let work = state.withLock { state -> Work in
            switch state.phase {
            case .searching(let version, let edges):
                guard edges.allSatisfy(held.contains) else { return .nothing }
                state.phase = .identifying(version, edges: edges)
                return .identify
            case .open(let file):
                let isIdle = state.pending.isEmpty
                Self.add(range, of: file, held, to: &state)
                return isIdle && !state.pending.isEmpty ? .flush : .nothing
            case .unknown, .found, .identifying, .none: return .nothing
            }
        }
        switch work {
        case .nothing: break
        case .identify: cache.perform(isUrgent: true) { [weak self] in self?.identify(callbacks) }
        // Not weak: received blocks are written even if the source is no longer used.
        case .flush: cache.perform { self.flush(callbacks) }
        }
    }

    /// Call when a request has ended: the blocks in which it began or ended are written as far as they are in memory.
    func requestEnded(_ callbacks: Callbacks) {
        let isNeeded = state.withLock { state in
            guard case .open = state.phase, !state.incomplete.isEmpty else { return false }
            state.pending.formUnion(state.incomplete)
            state.incomplete = []
            return true
        }
        if isNeeded { cache.perform { self.flush(callbacks) } }
    }

    /// Adds the blocks that overlap `range`.
    private static func add(_ range: Range<Int64>, of file: BlockFile, _ held: RangeSet64, to state: inout State) {
        for block in range.lowerBound / blockByteCount...(range.upperBound - 1) / blockByteCount {
            let whole = file.range(of: block)
            guard !whole.isEmpty else { continue }
            if held.contains(whole) {
                state.incomplete.remove(block)
                state.pending.insert(block)
            } else {
                state.incomplete.insert(block)
            }
        }
    }

    private func identify(_ callbacks: Callbacks) {
        let (phase, address) = state.withLock { ($0.phase, $0.address) }
        guard case .identifying(let version, let edges) = phase, let byteCount = version.byteCount, let address else {
            return
        }
        let ends = edges.map { memory.bytes($0, of: source) }
        guard zip(ends, edges).allSatisfy({ $0.count == $1.count }) else {
            // The memory cache has evicted some of these bytes in the meantime.
            state.withLock { state in
                if case .identifying = state.phase { state.phase = .searching(version, edges: edges) }
            }
            return
        }
        let path = Array(address.path.utf8)
        let key: CacheKey
        do {
            key = try CacheKey(path: path, version, isSecure: isSecure, head: ends[0], tail: ends[1])
        } catch {
            // Without digests, the source is not kept on disk.
            return settle(with: nil, callbacks)
        }
        let name = VersionName(of: version, at: address.text)
        open(BlockFile.Head(key: key, byteCount: byteCount, url: url, version: name), callbacks)
    }

    private func open(_ head: BlockFile.Head, _ callbacks: Callbacks) {
        settle(with: cache.open(head), callbacks)
    }

    /// - Parameter file: the copy; `nil` if the source will have none.
    private func settle(with file: BlockFile?, _ callbacks: Callbacks) {
        let isTaken = state.withLock { state in
            switch state.phase {
            case .found, .identifying: state.phase = file.map { .open($0) } ?? .none
            default: return false
            }
            return true
        }
        if let file {
            guard isTaken else { return cache.close(file) }
            let held = memory.held(source)
            state.withLock { state in
                for range in held.ranges { Self.add(range, of: file, held, to: &state) }
            }
        }
        callbacks.settled()
        cache.perform { self.flush(callbacks) }
    }

    /// Writes the pending blocks, and of an incomplete one its longest part.
    private func flush(_ callbacks: Callbacks) {
        while case .open(let file) = state.withLock(\.phase), let block = takePending() {
            let held = memory.held(source).ranges(in: file.range(of: block))
            // The memory cache may have evicted it already.
            if let part = held.max(by: { $0.count < $1.count }) {
                let bytes = memory.bytes(part, of: source)
                if bytes.count == part.count, cache.write(bytes, at: part.lowerBound, to: file) {
                    abandonChanged(file)
                    return callbacks.differs()
                }
            }
        }
    }

    /// The first pending block, which becomes pending again if more of it arrives while it is written.
    private func takePending() -> Int64? {
        state.withLock { state in
            let block = state.pending.min()
            if let block { state.pending.remove(block) }
            return block
        }
    }

    private func abandonChanged(_ file: BlockFile) {
        state.withLock { $0 = State(phase: .none) }
        cache.discard(file)
        cache.close(file)
    }

    /// Copies what is stored of the block with the byte at `offset` from disk into memory.
    ///
    /// - Returns: how many bytes were copied; 0 if the byte is not on disk.
    func load(at offset: Int64) -> Int {
        guard let file, file.held.contains(offset..<offset + 1),
            let found = file.read(offset / Self.blockByteCount, now: wallClockSeconds() * 1_000_000)
        else { return 0 }
        found.bytes.lend { memory.write($0, at: found.offset, of: source) }
        // The part may have been replaced meanwhile.
        return memory.held(source).contains(offset..<offset + 1) ? found.bytes.count : 0
    }

    /// Call when the source is no longer used. Closes the copy and frees the source's memory, once what is in memory is
    /// written.
    func end() {
        cache.perform { [self] in
            requestEnded(Callbacks(settled: {}, differs: {}))
            cache.perform { [self] in
                if case .open(let file) = state.withLock(\.phase) { cache.close(file) }
                state.withLock { $0 = State(phase: .none) }
                memory.forget(source)
            }
        }
    }
}
