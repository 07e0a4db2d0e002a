// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// The copy of one source on disk. It is looked up by the source's content once both ends of the source are in memory.
/// From then on, complete blocks are copied to disk as they arrive, and blocks on disk are not fetched again.
///
/// Thread-safety: safe. Only `load` reads the disk on the caller's thread.
final class DiskCopy: Sendable {
    private enum Phase {
        /// No response has arrived yet.
        case unknown
        /// The ends of the source are not in memory yet.
        case searching(ResourceState, edges: [Range<Int64>])
        /// The copy is being looked up on the thread of the cache.
        case identifying(ResourceState, edges: [Range<Int64>])
        case open(BlockFile)
        /// The source is not kept on disk.
        case none
    }

    private struct State {
        var phase = Phase.unknown
        /// Blocks in memory that are not on disk yet.
        var pending: Set<Int64> = []
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
    ///   - url: the URL for display.
    ///   - isSecure: whether the source is fetched by https.
    init(in cache: DiskCache, of source: RangeCache.Source, in memory: RangeCache, url: String, isSecure: Bool) {
        self.cache = cache
        self.memory = memory
        self.source = source
        self.url = url
        self.isSecure = isSecure
    }

    private var file: BlockFile? {
        state.withLock { state in if case .open(let file) = state.phase { file } else { nil } }
    }

    /// The bytes on disk.
    var held: RangeSet64 { file?.held ?? RangeSet64() }

    /// Begins the lookup after the first response, which states the version of the source.
    ///
    /// - Returns: the ends of the source, which must be fetched, and whether a copy probably exists. `nil` if the
    ///   source is not kept on disk, and from the second call on.
    func begin(_ version: ResourceState) -> (edges: [Range<Int64>], isLikely: Bool)? {
        let edges = CacheKey.edges(version.byteCount)
        let isFirst = state.withLock { state in
            guard case .unknown = state.phase, version.byteCount != nil else { return false }
            state.phase = edges.map { .searching(version, edges: $0) } ?? .none
            return true
        }
        guard isFirst, let edges, let byteCount = version.byteCount else { return nil }
        return (edges, cache.mayHave(byteCount))
    }

    /// Gives up the copy, because the server does not support ranges: the bytes of such a source are kept in a window.
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
                state.pending.formUnion(Self.blocks(in: range, of: file, held))
                return isIdle && !state.pending.isEmpty ? .flush : .nothing
            case .unknown, .identifying, .none: return .nothing
            }
        }
        switch work {
        case .nothing: break
        case .identify: cache.perform(isUrgent: true) { [weak self] in self?.identify(callbacks) }
        // Not weak: received blocks are written even if the source is no longer used.
        case .flush: cache.perform { self.flush(callbacks) }
        }
    }

    /// The blocks that overlap `range` and are complete.
    private static func blocks(in range: Range<Int64>, of file: BlockFile, _ held: RangeSet64) -> [Int64] {
        (range.lowerBound / blockByteCount...(range.upperBound - 1) / blockByteCount).filter {
            let block = file.range(of: $0)
            return !block.isEmpty && held.contains(block)
        }
    }

    private func identify(_ callbacks: Callbacks) {
        guard case .identifying(let version, let edges) = state.withLock(\.phase), let byteCount = version.byteCount
        else {
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
        // Without digests, the source is not kept on disk.
        let key = try? CacheKey(version, isSecure: isSecure, head: ends[0], tail: ends[1])
        let file = key.flatMap { cache.open(BlockFile.Head(key: $0, byteCount: byteCount, url: url)) }
        let isTaken = state.withLock { state in
            guard case .identifying = state.phase else { return false }
            state.phase = file.map { .open($0) } ?? .none
            return true
        }
        if let file {
            guard isTaken else { return cache.close(file) }
            let held = memory.held(source)
            for range in held.ranges {
                let blocks = Self.blocks(in: range, of: file, held)
                state.withLock { $0.pending.formUnion(blocks) }
            }
        }
        callbacks.settled()
        cache.perform { self.flush(callbacks) }
    }

    /// Writes the pending blocks.
    private func flush(_ callbacks: Callbacks) {
        while case .open(let file) = state.withLock(\.phase), let block = state.withLock({ $0.pending.min() }) {
            let range = file.range(of: block)
            let bytes = memory.bytes(range, of: source)
            // A block that the memory cache has already evicted is not written.
            if bytes.count == range.count, cache.write(block, bytes, to: file) {
                abandonChanged(file)
                return callbacks.differs()
            }
            state.withLock { _ = $0.pending.remove(block) }
        }
    }

    private func abandonChanged(_ file: BlockFile) {
        state.withLock { $0 = State(phase: .none) }
        cache.discard(file)
        cache.close(file)
    }

    /// Copies the block with the byte at `offset` from disk into memory.
    ///
    /// - Returns: how many bytes were copied; 0 if the block is not on disk.
    func load(at offset: Int64) -> Int {
        let block = offset / Self.blockByteCount
        guard let file, let bytes = file.read(block, now: wallClockSeconds() * 1_000_000) else { return 0 }
        memory.write(block: bytes, at: block * Self.blockByteCount, of: source)
        return bytes.count
    }

    /// Call when the source is no longer used. Closes the copy and frees the source's memory, once the pending blocks
    /// are written.
    func end() {
        cache.perform { [self] in
            if case .open(let file) = state.withLock(\.phase) { cache.close(file) }
            state.withLock { $0 = State(phase: .none) }
            memory.forget(source)
        }
    }
}
