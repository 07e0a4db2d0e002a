// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Segments

@Suite("Which segments are in memory", .timeLimit(.minutes(10)))
struct SegmentInventoryTests {
    @Test("the leading track reaches to the first gap, forwards and backwards")
    func reach() {
        let inventory = SegmentInventory()
        for index in [0, 1, 2, 4, 5] { inventory.add(index, tracks: [0, 1]) }
        inventory.add(3, tracks: [1])
        #expect(inventory.contiguousEnd(from: 0) == 3)
        #expect(inventory.contiguousEnd(from: 3) == 3)
        #expect(inventory.contiguousEnd(from: 4) == 6)
        #expect(inventory.contiguousStart(upTo: 5) == 4)
        #expect(inventory.contiguousStart(upTo: 2) == 0)
        inventory.add(3, tracks: [0])
        #expect(inventory.contiguousEnd(from: 0) == 6)
        #expect(inventory.contiguousStart(upTo: 6) == 0)
    }

    @Test("a segment is in memory until its last track is removed")
    func removal() {
        let inventory = SegmentInventory()
        inventory.add(7, tracks: [0, 2])
        inventory.remove(7, track: 0)
        #expect(inventory.has(7) && inventory.has(7, track: 2) && !inventory.has(7, track: 0))
        inventory.remove(7, track: 2)
        #expect(!inventory.has(7))
    }
}
