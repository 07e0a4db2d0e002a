// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The time source of a sink that has no device.
package enum AudioClock: Sendable {
    case monotonic
    /// Advances only when a caller moves it.
    case manual(ManualAudioClock)

    /// - Parameter now: the monotonic time in nanoseconds.
    func time(at now: Int64) -> Int64 {
        switch self {
        case .monotonic: now
        case .manual(let clock): clock.now
        }
    }
}

/// A clock that advances only when `advance(by:)` is called.
package final class ManualAudioClock: Sendable {
    private let state = Locked((now: Int64(0), waiters: [@Sendable () -> Void]()))

    package init() {}

    var now: Int64 { state.withLock { $0.now } }

    package func advance(by duration: Duration) {
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
