// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineRuntime

/// Holds code under test at one place until the test lets it continue, so that a race always has the same order.
///
/// Thread-safety: safe.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
    }

    private let state = Locked(State())
    private let changed = ChangeSignal()
    private let wake = WakeSignal()

    package init() {}

    /// Lets everything pass, from now on.
    package func open() {
        state.withLock { $0.isOpen = true }
        changed.signal()
        wake.call()
    }

    /// Waits until the gate is open. Also returns when the task is cancelled.
    package func pass() async {
        arrive()
        while !Task.isCancelled {
            let seen = changed.signalCount
            if isOpen { return }
            await changed.wait(after: seen)
        }
    }

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Blocks the thread until the gate is open, or the flag is raised. For one thread at a time.
    ///
    /// - Returns: whether the gate is open.
    @discardableResult
    package func block(unless interrupt: InterruptFlag = InterruptFlag()) -> Bool {
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        arrive()
        while !isOpen, !interrupt.isUp { wake.wait(atMost: 1_000_000_000) }
        return isOpen
    }

    /// Returns once the code under test has reached the gate `count` times, whether the gate was open or not. Also
    /// returns when the task is cancelled.
    package func arrival(_ count: Int = 1) async {
        while !Task.isCancelled {
            let seen = changed.signalCount
            if state.withLock({ $0.arrivals }) >= count { return }
            await changed.wait(after: seen)
        }
    }

    private func arrive() {
        state.withLock { $0.arrivals += 1 }
        changed.signal()
    }
}
