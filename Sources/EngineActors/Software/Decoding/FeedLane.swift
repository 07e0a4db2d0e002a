// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// One stream of a feed: what was read of it, and where the rest is read.
struct FeedLane {
    /// Where the packets of a stream come from.
    enum Source {
        case shared
        /// A place of its own.
        case own(FeedHead)
        /// Nowhere yet: from a place of its own once more is asked for.
        case parked(FeedHead.Resumption)

        var isShared: Bool { if case .shared = self { true } else { false } }
    }

    /// At most so many go to a decoder at once, and so many bytes and then the packet with which they are passed.
    static let batchCount = 8
    private static let batchBytes = 1 << 20
    /// What one request reads at most, so that another is not kept waiting.
    static let readLimit = 16 << 20

    let facts: FilmFacts
    let entry: FeedEntry
    var queue: FeedQueue
    var source = Source.shared
    /// Holds from the first packet on.
    var privateData: [UInt8]?

    private let limit: FeedQueue.Limit

    init(_ facts: FilmFacts, _ entry: FeedEntry, limit: FeedQueue.Limit? = nil) {
        self.facts = facts
        self.entry = entry
        self.limit = limit ?? Self.limit(facts)
        queue = FeedQueue(base: facts.stream.timeBase)
    }

    static func limit(_ facts: FilmFacts) -> FeedQueue.Limit {
        FeedQueue.Limit(
            byteCount: facts.stream.kind == .video ? 64 << 20 : 16 << 20,
            packetCount: 20_000,
            length: .seconds(60)
        )
    }

    var isFull: Bool { queue.isOver(limit) }

    mutating func take(isAtEnd: Bool) -> PacketBatch {
        let packets = queue.take(atMost: Self.batchCount, byteLimit: Self.batchBytes)
        defer { if !packets.isEmpty { privateData = nil } }
        return PacketBatch(
            entry: entry,
            facts: facts,
            packets: packets,
            privateData: privateData,
            isLast: isAtEnd && queue.isEmpty
        )
    }
}
