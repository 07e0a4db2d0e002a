// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import EngineRuntime

@Suite("Taking turns", .timeLimit(.minutes(10)))
struct TurnsTests {
    private struct Broken: Error {}

    /// A caller that has a resource, or waits for one.
    private struct Caller {
        let gate = Gate()
        let task: Task<Int?, Never>

        /// Keeps its resource until the gate opens.
        init(_ turns: Turns<Int>, urgentSince: Int64? = nil, served: Locked<[String]>? = nil, name: String = "") {
            let gate = gate
            task = Task {
                await turns.with(urgentSince: { urgentSince }) { number in
                    served?.withLock { $0.append(name) }
                    await gate.pass()
                    return number
                }
            }
        }

        func finish() async -> Int? {
            gate.open()
            return await task.value
        }
    }

    @Test("each resource has one caller at a time, and is made only when all others are lent")
    func one() async {
        let made = Locked<[Int]>([])
        let turns = Turns(count: 3) { number in
            made.withLock { $0.append(number) }
            return number
        }
        for _ in 0..<3 { #expect(await turns.with { $0 } == 1) }
        #expect(made.withLock { $0 } == [1])
        var callers: [Caller] = []
        for _ in 0..<3 {
            callers.append(Caller(turns))
            await callers.last?.gate.arrival()
        }
        #expect(made.withLock { $0 } == [1, 2, 3])
        var numbers: [Int?] = []
        for caller in callers { numbers.append(await caller.finish()) }
        #expect(numbers == [1, 2, 3])
    }

    @Test("a resource that is given back is reported as free unless a caller waits for it")
    func free() async throws {
        let free = Locked<[Int]>([])
        let turns = Turns(count: 1) {
            $0
        } whenFree: { number in
            free.withLock { $0.append(number) }
        }
        let first = Caller(turns)
        await first.gate.arrival()
        let second = Caller(turns)
        try await eventually { turns.waitingCount == 1 }
        _ = await first.finish()
        await second.gate.arrival()
        #expect(free.withLock(\.isEmpty))
        _ = await second.finish()
        #expect(free.withLock { $0 } == [1])
    }

    @Test("a waiting caller gets the resource that becomes free first, later callers the one that became free last")
    func handover() async throws {
        let turns = Turns(count: 3) { $0 }
        var callers: [Caller] = []
        for _ in 0..<3 {
            callers.append(Caller(turns))
            await callers.last?.gate.arrival()
        }
        let late = Caller(turns)
        try await eventually { turns.waitingCount == 1 }
        _ = await callers[1].finish()
        await late.gate.arrival()
        #expect(turns.waitingCount == 0)
        _ = await callers[2].finish()
        _ = await callers[0].finish()
        #expect(await turns.with { $0 } == 1)
        #expect(await late.finish() == 2)
    }

    @Test(
        "a resource goes to the caller that has been urgent for longest, otherwise to the one that has waited longest"
    )
    func order() async throws {
        let turns = Turns(count: 1) { $0 }
        let first = Caller(turns)
        await first.gate.arrival()
        let served = Locked<[String]>([])
        var callers: [Caller] = []
        for (name, since) in [("a", nil), ("b", nil), ("urgent", 7), ("c", nil), ("longer", 3), ("as long", 3)]
            as [(String, Int64?)]
        {
            callers.append(Caller(turns, urgentSince: since, served: served, name: name))
            try await eventually { turns.waitingCount == callers.count }
            callers.last?.gate.open()
        }
        _ = await first.finish()
        for caller in callers { #expect(await caller.task.value == 1) }
        #expect(served.withLock { $0 } == ["longer", "as long", "urgent", "a", "b", "c"])
    }

    @Test("urgency is asked for when a resource becomes free, not on arrival")
    func changedUrgency() async throws {
        let turns = Turns(count: 1) { $0 }
        let first = Caller(turns)
        await first.gate.arrival()
        let served = Locked<[String]>([])
        let isUrgent = Locked(false)
        let slow = Caller(turns, served: served, name: "slow")
        try await eventually { turns.waitingCount == 1 }
        let late = Task {
            await turns.with(urgentSince: { isUrgent.withLock { $0 } ? 0 : nil }) { _ in
                served.withLock { $0.append("late") }
            }
        }
        try await eventually { turns.waitingCount == 2 }
        isUrgent.withLock { $0 = true }
        slow.gate.open()
        _ = await first.finish()
        #expect(await late.value != nil)
        #expect(await slow.task.value == 1)
        #expect(served.withLock { $0 } == ["late", "slow"])
    }

    @Test("a wait ends when its task is cancelled, and the others keep their order")
    func cancelled() async throws {
        let turns = Turns(count: 1) { $0 }
        let first = Caller(turns)
        await first.gate.arrival()
        let served = Locked<[String]>([])
        var callers: [Caller] = []
        for name in ["a", "b", "c"] {
            callers.append(Caller(turns, served: served, name: name))
            try await eventually { turns.waitingCount == callers.count }
            callers.last?.gate.open()
        }
        callers[1].task.cancel()
        #expect(await callers[1].task.value == nil)
        #expect(turns.waitingCount == 2)
        #expect(await first.finish() == 1)
        #expect(await callers[0].task.value == 1)
        #expect(await callers[2].task.value == 1)
        #expect(served.withLock { $0 } == ["a", "c"])
    }

    @Test("a caller that is cancelled at its turn leaves it to the next")
    func cancelledAtTurn() async throws {
        let turns = Turns(count: 1) { $0 }
        let first = Caller(turns)
        await first.gate.arrival()
        let chosen = Locked<Task<Int?, Never>?>(nil)
        let urgentSince: @Sendable () -> Int64? = {
            chosen.withLock { $0 }?.cancel()
            return 0
        }
        let task = Task { await turns.with(urgentSince: urgentSince) { $0 } }
        chosen.withLock { $0 = task }
        try await eventually { turns.waitingCount == 1 }
        let next = Caller(turns)
        next.gate.open()
        try await eventually { turns.waitingCount == 2 }
        _ = await first.finish()
        #expect(await task.value == nil)
        #expect(await next.task.value == 1)
    }

    @Test("a task that is cancelled already gets no resource")
    func cancelledBefore() async {
        let turns = Turns(count: 1) { $0 }
        let gate = Gate()
        let task = Task {
            await gate.pass()
            return await turns.with { $0 }
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(await turns.with { $0 } == 1)
    }

    @Test("a resource is given back when its caller fails")
    func failure() async {
        let turns = Turns(count: 1) { $0 }
        await #expect(throws: Broken.self) {
            try await turns.with { (_: Int) throws(Broken) -> Int in throw Broken() }
        }
        #expect(await turns.with { $0 } == 1)
    }

    @Test("no resource is lost or lent twice, whenever tasks are cancelled")
    func races() async {
        let turns = Turns(count: 2) { $0 }
        let lent = Locked<Set<Int>>([])
        var moments = SplitMix(state: 11)
        await withTaskGroup { group in
            for round in 0..<500 {
                let task = Task {
                    await turns.with(urgentSince: { round % 3 == 0 ? Int64(-round) : nil }) { number in
                        #expect(lent.withLock { $0.insert(number).inserted })
                        await Task.yield()
                        lent.withLock { _ = $0.remove(number) }
                    }
                }
                for _ in 0..<moments.next() % 100 { _ = turns.waitingCount }
                if moments.next() % 2 == 0 { task.cancel() }
                group.addTask { _ = await task.value }
            }
        }
        #expect(turns.waitingCount == 0)
        let callers = [Caller(turns), Caller(turns)]
        for caller in callers { await caller.gate.arrival() }
        for caller in callers { #expect(await caller.finish() != nil) }
    }
}
