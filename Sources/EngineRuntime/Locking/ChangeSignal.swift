// SPDX-License-Identifier: Apache-2.0

/// Wakes tasks that wait for a change.
///
/// Thread-safety: safe.
package final class ChangeSignal: Sendable {
    private enum Waiter {
        case arriving
        case suspended(CheckedContinuation<Void, Never>)
        /// Resumed, possibly before it was suspended.
        case released
    }

    private struct State {
        var signalCount: UInt64 = 0
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The number of signals so far. Read it before looking at the state that may change.
    package var signalCount: UInt64 { state.withLock { $0.signalCount } }

    package func signal() {
        let waiters = state.withLock { state in
            state.signalCount &+= 1
            return Array(state.waiters.keys)
        }
        for waiter in waiters { release(waiter) }
    }

    /// Returns at the first signal after `signalCount` was `seen`, at the deadline, or when the task is cancelled.
    ///
    /// - Parameter deadline: in nanoseconds of CLOCK_MONOTONIC. `nil`: none.
    package func wait(after seen: UInt64, until deadline: Int64? = nil) async {
        let waiter = state.withLock { state in
            state.lastWaiter &+= 1
            state.waiters[state.lastWaiter] = .arriving
            return state.lastWaiter
        }
        let alarm = deadline.map { deadline in
            // Cancelled at the end of this function.
            Task {
                do {
                    try await Task.sleep(for: .nanoseconds(max(0, deadline - monotonicNanoseconds())))
                } catch {
                    return
                }
                self.release(waiter)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.signalCount == seen, case .arriving = state.waiters[waiter] else { return false }
                    state.waiters[waiter] = .suspended(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            release(waiter)
        }
        alarm?.cancel()
        state.withLock { $0.waiters[waiter] = nil }
    }

    private func release(_ waiter: UInt64) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let stage = state.waiters[waiter] else { return nil }
            state.waiters[waiter] = .released
            if case .suspended(let continuation) = stage { return continuation }
            return nil
        }
        continuation?.resume()
    }
}
