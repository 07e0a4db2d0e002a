// SPDX-License-Identifier: Apache-2.0

/// The wake signals of all threads that wait for the same change.
///
/// Thread-safety: safe.
package final class WakeSignals: Sendable {
    private let waiting = Locked<[ObjectIdentifier: WakeSignal]>([:])

    package init() {}

    /// Calls all of them.
    package func call() { for signal in waiting.withLock({ Array($0.values) }) { signal.call() } }

    /// From now on, `call` also calls `signal`. After this call and before they wait, callers must check whether the
    /// change has already happened.
    package func add(_ signal: WakeSignal) { waiting.withLock { $0[ObjectIdentifier(signal)] = signal } }

    package func remove(_ signal: WakeSignal) { waiting.withLock { $0[ObjectIdentifier(signal)] = nil } }
}
