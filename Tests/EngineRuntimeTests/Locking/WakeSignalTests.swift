// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Testing

@Suite("A signal between threads", .timeLimit(.minutes(10)))
struct WakeSignalTests {
    private actor Waiter {
        private let executor = ThreadExecutor(name: "waiter")

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

        func wait(_ signal: WakeSignal, atMost nanoseconds: Int64) { signal.wait(atMost: nanoseconds) }
    }

    @Test("wakes a waiting thread")
    func wakes() async {
        let signal = WakeSignal()
        let waiter = Waiter()
        async let waiting: Void = waiter.wait(signal, atMost: .max / 4)
        signal.call()
        await waiting
    }

    @Test("is kept for a later wait; several count as one")
    func kept() async {
        let signal = WakeSignal()
        signal.call()
        signal.call()
        let waiter = Waiter()
        await waiter.wait(signal, atMost: .max / 4)
        let before = monotonicNanoseconds()
        await waiter.wait(signal, atMost: 1_000_000)
        #expect(monotonicNanoseconds() - before >= 1_000_000)
    }
}
