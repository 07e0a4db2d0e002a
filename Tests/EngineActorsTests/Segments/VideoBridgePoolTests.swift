// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Testing

@testable import Segments

@Suite("The video bridges of the process", .timeLimit(.minutes(10)))
struct VideoBridgePoolTests {
    @Test("a segment that a player waits for is bridged before those that have waited longer")
    func order() async {
        let pool = VideoBridgePool.make(count: 1)
        let gate = Gate()
        let first = Task { await pool.with { _ in await gate.pass() } }
        await gate.arrival()
        let served = Locked<[String]>([])
        let names = ["first", "second", "awaited"]
        var tasks: [Task<Void?, Never>] = []
        for (place, name) in names.enumerated() {
            tasks.append(
                Task {
                    await pool.with(urgentSince: { name == "awaited" ? 0 : nil }) { _ in
                        served.withLock { $0.append(name) }
                    }
                }
            )
            while pool.waitingCount <= place { await Task.yield() }
        }
        gate.open()
        #expect(await first.value != nil)
        for task in tasks { #expect(await task.value != nil) }
        #expect(served.withLock { $0 } == ["awaited", "first", "second"])
    }
}
