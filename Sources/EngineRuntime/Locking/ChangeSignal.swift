// SPDX-License-Identifier: Apache-2.0

/// Wakes tasks that wait for a change.
///
/// Thread-safety: safe.
package final class ChangeSignal: Sendable {
    private struct State {
        var visit: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The number of signals so far. Read it before looking at the state that may change.
    package var visit: UInt64 { state.withLock { $0.visit } }

    package func signal() {
        let waiters = state.withLock { state in
            state.visit &+= 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns at the first signal after `visit` was read, at the deadline, or when the task is cancelled.
    ///
    /// - Parameter deadline: in nanoseconds of CLOCK_MONOTONIC. `nil`: none.
    package func wait(after visit: UInt64, until deadline: Int64?) async {
        let waiter = state.withLock { state in
            state.nextWaiter &+= 1
            return state.nextWaiter
        }
        // Cancelled at the end of this function.
        let alarm = deadline.map { deadline in
            Task {
                try? await Task.sleep(for: .nanoseconds(max(0, deadline - monotonicNanoseconds())))
                self.resume(waiter)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = Task.isCancelled || deadline.map { $0 <= monotonicNanoseconds() } == true
                let mustWait = state.withLock { state in
                    guard state.visit == visit, !isOver else { return false }
                    state.waiters[waiter] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            resume(waiter)
        }
        alarm?.cancel()
    }

    private func resume(_ waiter: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
    }
}
