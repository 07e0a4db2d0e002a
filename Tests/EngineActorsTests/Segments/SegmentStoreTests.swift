// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Segments

@Suite("Segments in memory", .timeLimit(.minutes(10)))
struct SegmentStoreTests {
    /// Bodies of ten bytes, one for each track.
    private func bodies(_ tracks: Int...) -> [Int: ByteBody] {
        let body = ByteBody([UInt8](repeating: 1, count: 10))
        return Dictionary(uniqueKeysWithValues: tracks.map { ($0, body) })
    }

    /// A store with these segments of track 0 only.
    private func store(_ indexes: [Int], budget: Int) -> SegmentStore {
        let store = SegmentStore(budget: budget)
        for index in indexes { #expect(store.add(index, bodies(0)) { $0 }.isEmpty) }
        return store
    }

    @Test("segments with the highest cost are evicted first, and no more than necessary")
    func eviction() {
        let store = store([0, 1, 2], budget: 30)
        #expect(store.add(3, bodies(0)) { abs($0 - 3) } == [0])
        #expect(store.add(4, bodies(0)) { abs($0 - 3) } == [1])
        #expect((0..<5).filter { store.has($0) } == [2, 3, 4] && store.byteCount == 30)
    }

    @Test("among segments with the same cost, the last one is evicted first, starting with its last track")
    func ties() {
        let store = SegmentStore(budget: 40)
        for index in 0..<2 { _ = store.add(index, bodies(0, 1)) { _ in 0 } }
        #expect(store.setBudget(30) { _ in 0 } == [1])
        #expect(store.body(1, track: 1) == nil && store.body(1, track: 0) != nil)
        #expect(store.setBudget(10) { _ in 0 } == [1, 0])
        #expect(!store.has(1) && store.body(0, track: 1) == nil && store.body(0, track: 0) != nil)
        #expect(store.byteCount == 10)
    }

    @Test("a segment that is stored again is counted once, and `removeAll` empties the store")
    func counted() {
        let store = store([0, 1, 2], budget: 30)
        #expect(store.add(1, bodies(0)) { $0 }.isEmpty && store.byteCount == 30)
        store.removeAll()
        #expect(store.byteCount == 0 && !store.has(0))
        #expect(store.add(7, bodies(0)) { $0 }.isEmpty && store.byteCount == 10)
    }

    @Test("contiguous segments of the leading track end at the first gap, forwards and backwards")
    func reach() {
        let store = store([0, 1, 2, 4, 5], budget: 1000)
        _ = store.add(3, bodies(1)) { $0 }
        #expect(store.contiguousEnd(from: 0) == 3)
        #expect(store.contiguousEnd(from: 3) == 3)
        #expect(store.contiguousEnd(from: 4) == 6)
        #expect(store.contiguousStart(upTo: 5) == 4)
        #expect(store.contiguousStart(upTo: 2) == 0)
        _ = store.add(3, bodies(0)) { $0 }
        #expect(store.contiguousEnd(from: 0) == 6)
        #expect(store.contiguousStart(upTo: 6) == 0)
    }
}
