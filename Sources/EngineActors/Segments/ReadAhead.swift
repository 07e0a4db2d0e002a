// SPDX-License-Identifier: Apache-2.0

/// Decides which segment is made next ahead of the readers. Pure.
///
/// A segment is made ahead at most once until a reader moves or the store's share of the cache has grown by a quarter,
/// so production always comes to rest, however few segments the store holds.
struct ReadAhead: Sendable {
    private(set) var heads: ReaderHeads
    /// The maximum number of bytes of media made ahead of a reader. The limit for all readers together is twice that.
    private var bytes: Int
    /// The lowest value of `bytes` since `settled` and `isFull` were last reset. Growth is measured from it.
    private var earlierBytes: Int
    /// The segments that were begun or evicted since the last reset. They are not made ahead again.
    private var settled: Set<Int> = []
    /// The segments that could not be made. They are not made ahead until a reader moves.
    private var failed: Set<Int> = []
    /// Whether the store had no room for the last segment made ahead.
    private var isFull = false

    /// - Parameters:
    ///   - count: how many segments are made ahead of a reader.
    ///   - bytes: the maximum number of bytes of media made ahead of a reader.
    init(_ count: Int, bytes: Int) {
        heads = ReaderHeads(ahead: count)
        (self.bytes, earlierBytes) = (bytes, bytes)
    }

    /// A reader requests a segment.
    mutating func visit(_ index: Int) {
        let places = heads.places
        heads.note(index)
        guard heads.places != places else { return }
        failed = []
        forget()
    }

    /// Changes the maximum number of bytes, which follows the size of the store. Once it has grown by a quarter,
    /// segments that had no room may be made ahead again. Smaller growth may not be enough for a segment: while many
    /// sessions end one after another, the remaining ones would make segments that are evicted at once.
    mutating func setBytes(_ bytes: Int) {
        self.bytes = bytes
        if bytes > earlierBytes, bytes - earlierBytes >= earlierBytes / 4 { forget() }
        earlierBytes = min(earlierBytes, bytes)
    }

    /// Allows segments that had no room to be made ahead again.
    private mutating func forget() { (settled, isFull, earlierBytes) = ([], false, bytes) }

    /// A segment is being made, ahead or because it was requested.
    mutating func begin(_ index: Int) { settled.insert(index) }

    mutating func fail(_ index: Int) { if settled.contains(index) { failed.insert(index) } }

    /// The store has evicted segments.
    ///
    /// - Parameter made: the segment that was stored, if no request waited for it.
    mutating func evict(_ evicted: [Int], for made: Int?, segmentCount: Int) {
        settled.formUnion(evicted)
        let wanted = heads.wanted(segmentCount: segmentCount)
        guard let made, let rank = wanted.firstIndex(of: made) else { return }
        // The store has evicted this segment at once, or one that readers want more.
        if wanted[...rank].contains(where: evicted.contains) { isFull = true }
    }

    /// The next segment to make.
    ///
    /// - Parameters:
    ///   - isPresent: whether a segment is in memory or being made.
    ///   - byteCount: the approximate size of a segment in the source, in bytes.
    func next(segmentCount: Int, isPresent: (Int) -> Bool, byteCount: (Int) -> Int) -> Int? {
        guard !isFull else { return nil }
        var room = 2 * bytes
        for place in heads.places {
            let limit = min(bytes, room)
            var sum = byteCount(place)
            for index in heads.wanted(from: place, segmentCount: segmentCount) {
                let next = sum + byteCount(index)
                guard next < limit else { break }
                sum = next
                if !settled.contains(index), !failed.contains(index), !isPresent(index) { return index }
            }
            room -= sum
        }
        return nil
    }
}
