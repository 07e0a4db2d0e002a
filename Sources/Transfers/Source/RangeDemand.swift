// SPDX-License-Identifier: Apache-2.0

/// Decides which ranges of a source are requested: those that its readers need and, while its copy on disk is being
/// looked up, the ends of the source, which identify the copy. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
struct RangeDemand: Sendable {
    /// A lookup of the copy on disk.
    private struct Search {
        let edges: [Range<Int64>]
        /// Whether a copy probably exists, so that nothing else is fetched before the lookup ends.
        let isLikely: Bool
    }

    /// The planner's id for the reader of the ends. No other reader has it.
    private static let searcher: UInt64 = 0
    /// If a copy is unlikely, the ends are requested only after this many bytes were received.
    static let patience: Int64 = 1 << 20

    private var planner: FetchPlanner
    private var search: Search?

    /// - Parameter cacheByteLimit: the size of the cache in memory, in bytes.
    init(_ limits: FetchPlanner.Limits, cacheByteLimit: Int) {
        var limits = limits
        // Read-ahead must not evict bytes that are about to be read.
        limits.largest = max(limits.smallest, min(limits.largest, Int64(cacheByteLimit / 8)))
        planner = FetchPlanner(limits)
    }

    // MARK: Readers

    /// Whether any reader has read, waited or announced reads.
    var hasReaders: Bool { planner.hasReaders }

    mutating func expectPlayback(_ bytesPerSecond: Double) { planner.playbackBytesPerSecond = bytesPerSecond }

    mutating func readerExpects(_ reader: UInt64, _ ranges: [Range<Int64>]) { planner.readerExpects(reader, ranges) }

    mutating func readerWaits(_ reader: UInt64, for range: Range<Int64>) { planner.readerWaits(reader, for: range) }

    mutating func readerRead(_ reader: UInt64, _ range: Range<Int64>) { planner.readerRead(reader, range) }

    mutating func readerLeft(_ reader: UInt64) { planner.readerLeft(reader) }

    // MARK: The copy on disk

    /// Begins to fetch the ends of the source.
    ///
    /// - Parameter isLikely: whether a copy probably exists, so that nothing else is fetched meanwhile.
    mutating func search(_ edges: [Range<Int64>], isLikely: Bool) {
        search = Search(edges: edges, isLikely: isLikely)
    }

    /// The lookup has ended, with or without a copy, or has been given up.
    mutating func endSearch() {
        search = nil
        planner.readerLeft(Self.searcher)
    }

    // MARK: Plans

    /// - Parameters:
    ///   - byteCount: the length of the source, or an offset at and after which there are no bytes.
    ///   - held: the bytes that can be read.
    ///   - running: the requests whose bytes are still needed.
    ///   - parallel: the maximum number of requests at a time.
    mutating func plan(
        byteCount: Int64?,
        held: RangeSet64,
        beside running: [FetchPlanner.Fetch],
        parallel: Int,
        _ traffic: TrafficCounter,
        now: Int64
    ) -> [FetchPlanner.Action] {
        if let search, search.isLikely || traffic.statistics.bytesReceived >= Self.patience {
            planner.readerExpects(Self.searcher, search.edges)
        }
        return planner.plan(
            byteCount: byteCount,
            held: held,
            fetches: running,
            bytesPerSecond: traffic.bytesPerSecond,
            room: max(0, parallel - running.count),
            startsSlowly: traffic.startsSlowly(now: now),
            confines: search.flatMap { $0.isLikely ? $0.edges : nil }
        )
    }
}
