// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Testing

private actor Counter {
    private var count = 0

    func add() -> Int {
        count += 1
        return count
    }
}

/// Keeps closures until `visit` runs them, as an event loop does until its next turn.
private final class ManualLoop: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    func execute(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }

    /// Returns how many closures it has run.
    func visit() -> Int {
        let bodies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in bodies { body() }
        return bodies.count
    }
}

@Suite("Tasks on the thread of an event loop", .timeLimit(.minutes(10)))
struct LoopExecutorTests {
    private let log = Locked<[String]>([])

    private var entries: [String] { log.withLock { $0 } }

    /// Everything runs on the test's own thread, which plays the part of the loop's.
    private func executor(_ loop: ManualLoop, isOnLoop: Bool) -> LoopExecutor {
        LoopExecutor(isOnLoop: { isOnLoop }, execute: { loop.execute($0) })
    }

    @Test("a task started on the loop's thread runs at once, including the actors that it calls")
    func atOnce() {
        let loop = ManualLoop()
        let (counter, log) = (Counter(), log)
        Task(executorPreference: executor(loop, isOnLoop: true)) {
            let first = await counter.add()
            let second = await counter.add()
            log.withLock { $0.append("\(first) \(second)") }
        }
        #expect(entries == ["1 2"])
        #expect(loop.visit() == 0)
    }

    @Test("a task started on another thread runs on the loop")
    func fromElsewhere() {
        let loop = ManualLoop()
        let (counter, log) = (Counter(), log)
        Task(executorPreference: executor(loop, isOnLoop: false)) {
            let count = await counter.add()
            log.withLock { $0.append("\(count)") }
        }
        #expect(entries.isEmpty)
        while loop.visit() > 0 {}
        #expect(entries == ["1"])
    }

    @Test("a task that is started by another task runs after that task")
    func inTurn() {
        let loop = ManualLoop()
        let executor = executor(loop, isOnLoop: true)
        let log = log
        Task(executorPreference: executor) {
            Task(executorPreference: executor) { log.withLock { $0.append("second") } }
            log.withLock { $0.append("first") }
        }
        #expect(entries == ["first", "second"])
    }
}
