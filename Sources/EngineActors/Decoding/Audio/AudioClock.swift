// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The time by which a sink without a device consumes audio.
package enum AudioClock: Sendable {
    case monotonic
    /// Advances only when a caller moves it.
    case manual(ManualAudioClock)

    /// - Parameter now: of the monotonic clock.
    func time(at now: Int64) -> Int64 {
        switch self {
        case .monotonic: now
        case .manual(let clock): clock.now
        }
    }
}

/// A clock that stands still until it is moved.
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

    /// Calls `body` once, at the next move.
    func whenMoved(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.waiters.append(body) } }
}
