// SPDX-License-Identifier: Apache-2.0

import EngineRuntime

/// A clock that advances only when `advance(by:)` is called.
final class ManualClock: Sendable {
    private let state = Locked((now: Int64(0), waiters: [@Sendable () -> Void]()))

    /// In nanoseconds.
    var now: Int64 { state.withLock { $0.now } }

    func advance(by duration: Duration) {
        let nanoseconds = Int64(duration / .nanoseconds(1))
        let waiters = state.withLock { state in
            state.now += nanoseconds
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Calls `body` once, at the next `advance(by:)`.
    func whenMoved(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.waiters.append(body) } }
}
