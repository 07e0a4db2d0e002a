// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime

/// An in-memory cache of source bytes, in blocks, with one limit for all its sources.
///
/// Thread-safety: safe.
package final class RangeCache: Sendable {
    package static let blockByteCount = 64 << 10

    /// Identifies a source within the cache.
    package struct Source: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Key: Hashable {
        let source: Source
        let block: Int64

        init(_ source: Source, holding offset: Int64) {
            self.source = source
            block = offset / Int64(RangeCache.blockByteCount)
        }

        var range: Range<Int64> {
            let start = block * Int64(RangeCache.blockByteCount)
            return start..<start + Int64(RangeCache.blockByteCount)
        }
    }

    private struct Block {
        var bytes = [UInt8](repeating: 0, count: RangeCache.blockByteCount)
        var lastUse: UInt64
    }

    private struct State {
        var blocks: [Key: Block] = [:]
        var held: [Source: RangeSet64] = [:]
        var uses: UInt64 = 0
        var sources: UInt64 = 0
        /// The number of times the limit is halved.
        var halvings = 0
    }

    /// The choice of the block that makes room for a new one.
    package enum Eviction: Hashable, Sendable {
        case leastRecentlyUsed
        /// The source's first block after a head of this length: for a single source that arrives from start to end.
        case first(after: Int64)
    }

    private let blockLimit: Int
    private let eviction: Eviction
    private let state = Locked(State())

    package init(byteLimit: Int = 64 << 20, eviction: Eviction = .leastRecentlyUsed) {
        blockLimit = max(4, byteLimit / Self.blockByteCount)
        self.eviction = eviction
    }

    /// The limit when it is not halved.
    package var byteLimit: Int { blockLimit * Self.blockByteCount }
    package var byteCount: Int { state.withLock { $0.blocks.count } * Self.blockByteCount }

    /// Sets the limit to its full size halved `times` times, and evicts the blocks that exceed it. Only for caches with
    /// `leastRecentlyUsed` eviction.
    package func halve(_ times: Int) {
        state.withLock { state in
            state.halvings = times
            let excess = state.blocks.count - Self.limit(blockLimit, state)
            guard excess > 0 else { return }
            for (key, _) in state.blocks.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(excess) {
                Self.remove(key, from: &state)
            }
        }
    }

    private static func limit(_ blocks: Int, _ state: State) -> Int { max(4, blocks >> state.halvings) }

    private static func remove(_ key: Key, from state: inout State) {
        state.blocks[key] = nil
        state.held[key.source]?.remove(key.range)
    }

    package func makeSource() -> Source {
        state.withLock { state in
            state.sources += 1
            return Source(number: state.sources)
        }
    }

    package func forget(_ source: Source) {
        state.withLock { state in
            state.held[source] = nil
            for key in state.blocks.keys where key.source == source { state.blocks[key] = nil }
        }
    }

    package func held(_ source: Source) -> RangeSet64 { state.withLock { $0.held[source] ?? RangeSet64() } }

    /// The number of cached bytes of a source.
    package func byteCount(of source: Source) -> Int64 { held(source).ranges.reduce(0) { $0 + Int64($1.count) } }

    /// The bytes of a range; fewer if not all of them are cached.
    package func bytes(_ range: Range<Int64>, of source: Source) -> [UInt8] {
        [UInt8](upTo: range.count) { output in _ = read(at: range.lowerBound, of: source, into: &output) }
    }

    /// Caches a copy of `bytes`, which begin at `offset` of the source.
    package func write(_ bytes: RawSpan, at offset: Int64, of source: Source) {
        let (limit, eviction) = (blockLimit, eviction)
        state.withLock { state in
            var done = 0
            while done < bytes.byteCount {
                let place = offset + Int64(done)
                let key = Key(source, holding: place)
                let start = Int(place - key.range.lowerBound)
                let count = min(bytes.byteCount - done, Self.blockByteCount - start)
                state.uses += 1
                if state.blocks[key] == nil {
                    if state.blocks.count >= Self.limit(limit, state) { Self.evict(&state, eviction, for: source) }
                    state.blocks[key] = Block(lastUse: state.uses)
                }
                state.blocks[key]?.bytes.replace(at: start, copying: bytes.extracting(done..<done + count))
                state.blocks[key]?.lastUse = state.uses
                state.held[source, default: RangeSet64()].insert(place..<place + Int64(count))
                done += count
            }
        }
    }

    private static func firstBlock(after head: Int64) -> Int64 {
        (head + Int64(blockByteCount) - 1) & -Int64(blockByteCount)
    }

    private static func evict(_ state: inout State, _ eviction: Eviction, for source: Source) {
        let oldest =
            switch eviction {
            case .leastRecentlyUsed: state.blocks.min { $0.value.lastUse < $1.value.lastUse }?.key
            case .first(let head):
                state.held[source]?.firstHeld(in: firstBlock(after: head)..<(.max))
                    .map { Key(source, holding: $0.lowerBound) }
            }
        if let oldest { remove(oldest, from: &state) }
    }

    /// Appends to `output` the cached bytes that begin at `offset`, up to its free capacity.
    ///
    /// - Returns: the number of bytes; 0 if the byte at `offset` is not cached.
    package func read(at offset: Int64, of source: Source, into output: inout OutputRawSpan) -> Int {
        var done = 0
        while output.freeCapacity > 0 {
            let place = offset + Int64(done)
            guard let bytes = block(at: place, of: source, atMost: output.freeCapacity) else { break }
            bytes.bytes.copy(bytes.part, to: &output)
            done += bytes.part.count
        }
        return done
    }

    /// The block with the byte at `place`, and the cached part of the block that begins at `place`.
    private func block(at place: Int64, of source: Source, atMost count: Int) -> (bytes: [UInt8], part: Range<Int>)? {
        state.withLock { state in
            let key = Key(source, holding: place)
            let wanted = place..<min(place + Int64(count), key.range.upperBound)
            guard let held = state.held[source]?.firstHeld(in: wanted), held.lowerBound == place else { return nil }
            state.uses += 1
            state.blocks[key]?.lastUse = state.uses
            guard let block = state.blocks[key] else { return nil }
            let start = Int(place - key.range.lowerBound)
            return (block.bytes, start..<start + held.count)
        }
    }
}
