// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime
internal import Synchronization

/// Interrupts a blocking libavformat call, and any wait inside that call, from another thread.
///
/// Thread-safety: safe, at any time, even while no call is running.
package final class InterruptFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)
    private let change = WakeSignals()

    package init() {}

    package func raise() {
        isRaised.store(true, ordering: .releasing)
        change.call()
    }

    /// From now on, raising the flag also calls `signal`. Callers must check `isUp` after this and before they wait.
    package func add(_ signal: WakeSignal) { change.add(signal) }

    package func remove(_ signal: WakeSignal) { change.remove(signal) }

    package var isUp: Bool { isRaised.load(ordering: .acquiring) }

    /// Waits until the time has passed or the flag is raised.
    package func wait(atMost nanoseconds: Int64) {
        let wake = WakeSignal()
        add(wake)
        defer { remove(wake) }
        if !isUp { wake.wait(atMost: nanoseconds) }
    }
}
