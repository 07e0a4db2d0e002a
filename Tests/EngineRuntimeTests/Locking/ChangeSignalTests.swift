// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import EngineRuntime

@Suite("Waiting for a change", .timeLimit(.minutes(10)))
struct ChangeSignalTests {
    @Test("a signal sent before the wait is not missed")
    func before() async {
        let signal = ChangeSignal()
        let seen = signal.signalCount
        signal.signal()
        await signal.wait(after: seen)
    }

    @Test("a signal resumes all waiting tasks")
    func everybody() async {
        let signal = ChangeSignal()
        let seen = signal.signalCount
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { await signal.wait(after: seen) } }
            signal.signal()
        }
    }

    @Test("a wait ends when its task is cancelled, at any moment")
    func cancelled() async {
        let signal = ChangeSignal()
        var moments = SplitMix(state: 7)
        for _ in 0..<500 {
            let waiting = Task { await signal.wait(after: signal.signalCount) }
            for _ in 0..<moments.next() % 400 { _ = signal.signalCount }
            waiting.cancel()
            await waiting.value
        }
    }

    @Test("a wait ends at its deadline, even one that has already passed")
    func deadline() async {
        let signal = ChangeSignal()
        for wait in [-1, 0, 1_000, 100_000, 2_000_000] as [Int64] {
            let deadline = monotonicNanoseconds() + wait
            await signal.wait(after: signal.signalCount, until: deadline)
            #expect(monotonicNanoseconds() >= deadline)
        }
    }
}
