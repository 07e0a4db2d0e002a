// SPDX-License-Identifier: Apache-2.0

/// Decides which sources and blocks a disk cache drops to stay within its limits. Pure.
struct CacheEviction: Sendable {
    enum Blocks: Hashable, Sendable {
        /// The source is in use: single blocks can be dropped.
        case single(Int)
        /// The source is not in use and is dropped as a whole.
        case whole(Int)

        var count: Int {
            switch self {
            case .single(let count), .whole(let count): count
            }
        }
    }

    struct Source: Hashable, Sendable {
        let key: CacheKey
        let lastUse: Int64
        let blocks: Blocks
    }

    private let sources: [Source]
    private let limits: (blocks: Int, sources: Int)
    private let total: Int

    init(_ sources: [Source], limits: (blocks: Int, sources: Int)) {
        self.sources = sources
        self.limits = limits
        total = sources.reduce(0) { $0 + $1.blocks.count }
    }

    /// Whether something must be dropped before `count` more blocks are written.
    func isNeeded(for count: Int) -> Bool { total + count > limits.blocks || sources.count > limits.sources }

    /// The sources and blocks to drop, least recently used first. Drops more than necessary, so that not every written
    /// block causes an eviction.
    ///
    /// - Parameter uses: the blocks of a source in use, with the time of their last use.
    func victims(
        for count: Int,
        uses: (CacheKey) -> [(block: Int64, lastUse: Int64)]
    ) -> (sources: [CacheKey], blocks: [CacheKey: [Int64]]) {
        var excess = total + count > limits.blocks ? total + count - limits.blocks + limits.blocks / 32 : 0
        var surplus = sources.count - limits.sources
        var candidates: [(time: Int64, key: CacheKey, block: Int64?, count: Int)] = []
        for source in sources {
            switch source.blocks {
            case .whole(let count): candidates.append((source.lastUse, source.key, nil, count))
            case .single: candidates += uses(source.key).map { ($0.lastUse, source.key, $0.block, 1) }
            }
        }
        candidates.sort { ($0.time, $0.key.name, $0.block ?? -1) < ($1.time, $1.key.name, $1.block ?? -1) }
        var victims: (sources: [CacheKey], blocks: [CacheKey: [Int64]]) = ([], [:])
        for candidate in candidates {
            if let block = candidate.block {
                guard excess > 0 else { continue }
                victims.blocks[candidate.key, default: []].append(block)
            } else {
                guard excess > 0 || surplus > 0 else { continue }
                victims.sources.append(candidate.key)
                surplus -= 1
            }
            excess -= candidate.count
        }
        return victims
    }
}
