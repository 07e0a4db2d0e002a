// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Testing

@testable import Bindings

@Suite("Devices of closed streams that are still open")
struct ClosingDevicesTests {
    private let never = Int64.max / 2

    @Test("Without such a device, there is nothing to wait for")
    func none() {
        #expect(!ClosingDevices().wait(after: 0, until: never))
    }

    @Test("If a device was closed since the caller looked, the wait returns at once")
    func passed() {
        let devices = ClosingDevices()
        let seen = devices.closed
        devices.begin()
        devices.end()
        #expect(devices.wait(after: seen, until: never))
        #expect(!devices.wait(after: devices.closed, until: never))
    }

    @Test("All waiting threads continue when a device is closed", arguments: [1, 3])
    func signal(threads: Int) async {
        let devices = ClosingDevices()
        let seen = devices.closed
        devices.begin()
        devices.begin()
        let results = Results()
        for _ in 0..<threads {
            await results.add { devices.wait(after: seen, until: Int64.max / 2) }
        }
        devices.end()
        #expect(await results.all() == Array(repeating: true, count: threads))
    }

    @Test("The wait ends at its limit")
    func limit() {
        let devices = ClosingDevices()
        devices.begin()
        #expect(!devices.wait(after: devices.closed, until: monotonicNanoseconds()))
    }

    /// Runs pieces of blocking work, each on a thread of its own, and collects their results.
    private actor Results {
        private actor Waiter {
            private nonisolated let executor = ThreadExecutor(name: "test-closing")

            nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

            func run(_ work: @Sendable () -> Bool) -> Bool { work() }
        }

        private var tasks: [Task<Bool, Never>] = []

        func add(_ work: @escaping @Sendable () -> Bool) {
            let waiter = Waiter()
            tasks.append(Task { await waiter.run(work) })
        }

        func all() async -> [Bool] {
            var results: [Bool] = []
            for task in tasks { results.append(await task.value) }
            return results
        }
    }
}
