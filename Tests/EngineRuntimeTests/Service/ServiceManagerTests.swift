// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServiceManagerTests {
    @Test("Without a manager there is no watchdog and no socket")
    func alone() {
        let manager = ServiceManager(environment: [:], process: 7)
        #expect(manager.watchdogInterval == nil)
        #expect(manager.listeners.isEmpty)
        manager.notify("READY=1")
    }

    @Test("The watchdog is notified at half of the manager's interval")
    func watchdog() {
        let ours = ["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"]
        #expect(ServiceManager(environment: ours, process: 7).watchdogInterval == .microseconds(1_500_000))
        #expect(ServiceManager(environment: ours, process: 8).watchdogInterval == nil)
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "0"], process: 7).watchdogInterval == nil)
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "soon"], process: 7).watchdogInterval == nil)
    }

    @Test("Passed sockets have their names, and are accepted only for this process id")
    func listeners() {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "engined.socket:http"]
        let passed = ServiceManager(environment: environment, process: 7).listeners
        #expect(passed.map(\.name) == ["engined.socket", "http"])
        #expect(passed.map(\.descriptor) == [3, 4])
        #expect(ServiceManager(environment: environment, process: 8).listeners.isEmpty)
    }

    @Test("An implausible count means no sockets", arguments: ["0", "-1", "17", "many", ""])
    func nonsense(_ count: String) {
        let environment = ["LISTEN_PID": "7", "LISTEN_FDS": count]
        #expect(ServiceManager(environment: environment, process: 7).listeners.isEmpty)
    }
}
