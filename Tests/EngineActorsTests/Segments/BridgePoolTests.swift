// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Segments

@Suite("The bridges of a producer")
struct BridgePoolTests {
    @Test("each bridge has one caller at a time, and a waiting caller gets the first free bridge")
    func turns() async {
        let pool = BridgePool(isNeeded: true)
        var taken: [Int] = []
        while taken.count < BridgePool.count { taken.append(await pool.take()) }
        #expect(Set(taken).count == BridgePool.count)
        let late = Task { await pool.take() }
        pool.giveBack(taken[1])
        #expect(await late.value == taken[1])
        pool.giveBack(taken[0])
        #expect(await pool.take() == taken[0])
    }
}
