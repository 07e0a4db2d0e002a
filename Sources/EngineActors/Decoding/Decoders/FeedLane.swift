// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// One stream of a feed: the packets read so far, and the source of the next ones.
struct FeedLane {
    /// The origin of the next packets of a stream.
    enum Source {
        case shared
        /// From a separate head.
        case own(FeedHead)
        /// Not read at present. The next request that finds the queue empty opens a separate head.
        case parked(FeedHead.Resumption)

        var isShared: Bool { if case .shared = self { true } else { false } }
    }

    /// Limits of one batch. The packet that crosses the byte limit is included.
    static let batchCount = 8
    private static let batchBytes = 1 << 20
    /// Byte limit of one request, so that other requests do not wait long.
    static let readLimit = 16 << 20

    let facts: DecodingFacts
    let entry: FeedEntry
    var queue: FeedQueue
    var source = Source.shared
    /// Codec private data that applies from the first packet of the queue on.
    var privateData: [UInt8]?

    private let limit: FeedQueue.Limit

    init(_ facts: DecodingFacts, _ entry: FeedEntry, limit: FeedQueue.Limit? = nil) {
        self.facts = facts
        self.entry = entry
        self.limit = limit ?? Self.limit(facts)
        queue = FeedQueue(base: facts.stream.timeBase)
    }

    static func limit(_ facts: DecodingFacts) -> FeedQueue.Limit {
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
