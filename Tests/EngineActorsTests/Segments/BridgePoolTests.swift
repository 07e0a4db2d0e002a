// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import EngineTestKit
import Reading
import Testing

@testable import Segments

@Suite("The bridges of a producer", .timeLimit(.minutes(10)))
struct BridgePoolTests {
    /// Takes a bridge, and keeps it until `gate` opens.
    private func take(_ pool: Turns<AudioBridge>, until gate: Gate) -> Task<ObjectIdentifier?, Never> {
        Task {
            await pool.with { bridge in
                await gate.pass()
                return ObjectIdentifier(bridge)
            }
        }
    }

    @Test("each bridge has one caller at a time, and a waiting caller gets the first free bridge")
    func turns() async throws {
        let pool = BridgePool.make()
        let gates = (0..<BridgePool.count).map { _ in Gate() }
        var tasks: [Task<ObjectIdentifier?, Never>] = []
        for gate in gates {
            tasks.append(take(pool, until: gate))
            await gate.arrival()
        }
        let end = Gate()
        let late = take(pool, until: end)
        try await eventually { pool.waitingCount == 1 }
        gates[1].open()
        await end.arrival()
        gates[0].open()
        let first = await tasks[0].value
        let next = await pool.with { ObjectIdentifier($0) }
        #expect(next == first)
        for gate in gates + [end] { gate.open() }
        var taken: [ObjectIdentifier?] = []
        for task in tasks { taken.append(await task.value) }
        #expect(Set(taken.compactMap { $0 }).count == BridgePool.count)
        #expect(await late.value == taken[1])
    }
}
