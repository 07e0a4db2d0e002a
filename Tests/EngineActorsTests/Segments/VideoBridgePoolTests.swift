// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Testing

@testable import Segments

@Suite("The video bridges of the process")
struct VideoBridgePoolTests {
    @Test("a segment that a player waits for is bridged before those that have waited longer")
    func order() async {
        let pool = VideoBridgePool(count: 1)
        let bridge = await pool.take { false }
        let served = Locked<[String]>([])
        let names = ["first", "second", "awaited"]
        var tasks: [Task<Void, Never>] = []
        for (place, name) in names.enumerated() {
            tasks.append(
                Task {
                    let bridge = await pool.take { name == "awaited" }
                    served.withLock { $0.append(name) }
                    pool.giveBack(bridge)
                }
            )
            while pool.waiting <= place { await Task.yield() }
        }
        pool.giveBack(bridge)
        for task in tasks { await task.value }
        #expect(served.withLock { $0 } == ["awaited", "first", "second"])
    }
}
