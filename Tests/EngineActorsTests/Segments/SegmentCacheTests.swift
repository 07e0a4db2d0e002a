// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Segments

@Suite("Segments in memory", .timeLimit(.minutes(10)))
struct SegmentCacheTests {
    /// Bodies of ten bytes.
    private func bodies(_ indexes: some Sequence<Int>, track: Int = 0) -> [SegmentCache.Key: ByteBody] {
        let body = ByteBody([UInt8](repeating: 1, count: 10))
        return Dictionary(uniqueKeysWithValues: indexes.map { (SegmentCache.Key(index: $0, track: track), body) })
    }

    @Test("segments with the highest cost are evicted first, and no more than necessary")
    func eviction() async {
        let cache = SegmentCache(budget: 30)
        let full = await cache.store(bodies(0..<3)) { $0 }
        #expect(full.evicted.isEmpty && full.byteCount == 30)
        let over = await cache.store(bodies(3..<5)) { abs($0 - 3) }
        #expect(over.evicted.map(\.index) == [0, 1] && over.byteCount == 30)
        #expect(await cache.body(SegmentCache.Key(index: 0, track: 0)) == nil)
        #expect(await cache.body(SegmentCache.Key(index: 2, track: 0)) != nil)
    }

    @Test("of segments with the same cost the last is evicted first, and its last track before the others")
    func ties() async {
        let cache = SegmentCache(budget: 40)
        _ = await cache.store(bodies(0..<2)) { _ in 0 }
        _ = await cache.store(bodies(0..<2, track: 1)) { _ in 0 }
        let gone = await cache.setBudget(10) { _ in 0 }
        #expect(gone.evicted.map { [$0.index, $0.track] } == [[1, 1], [1, 0], [0, 1]] && gone.byteCount == 10)
    }

    @Test("a segment that is stored again is counted once, and an emptied cache holds nothing")
    func counted() async {
        let cache = SegmentCache(budget: 30)
        _ = await cache.store(bodies(0..<3)) { $0 }
        let again = await cache.store(bodies(0..<3)) { $0 }
        #expect(again.evicted.isEmpty && again.byteCount == 30)
        await cache.removeAll()
        #expect(await cache.store(bodies(7..<8)) { $0 }.byteCount == 10)
    }
}
