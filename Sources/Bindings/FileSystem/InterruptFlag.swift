// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime
internal import Synchronization

/// Interrupts a blocking libavformat call, and any wait inside that call, from another thread.
///
/// Thread-safety: safe, at any time, even while no call is running.
package final class InterruptFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)
    private let waiters = Locked<[ObjectIdentifier: WakeSignal]>([:])

    package init() {}

    package func raise() {
        isRaised.store(true, ordering: .releasing)
        for waiter in waiters.withLock({ Array($0.values) }) { waiter.call() }
    }

    /// From now on, raising the flag also calls `signal`. Callers must check `isUp` after this and before they wait.
    package func add(_ signal: WakeSignal) { waiters.withLock { $0[ObjectIdentifier(signal)] = signal } }

    package func remove(_ signal: WakeSignal) { waiters.withLock { $0[ObjectIdentifier(signal)] = nil } }

    package var isUp: Bool { isRaised.load(ordering: .acquiring) }
}
