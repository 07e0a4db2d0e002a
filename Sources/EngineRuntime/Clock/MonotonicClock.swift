// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Nanoseconds of CLOCK_MONOTONIC: the clock that every process on this machine shares.
package func monotonicNanoseconds() -> Int64 { csystem_monotonic_nanoseconds() }

/// The end of a wait. Whoever waits, reads or searches for a limited time says how long as a `Duration`, and keeps the
/// deadline that follows; state machines are passed the time instead and count in nanoseconds.
package struct Deadline: Sendable {
    /// On the clock of `monotonicNanoseconds()`.
    package let nanoseconds: Int64

    package init(in time: Duration) { nanoseconds = monotonicNanoseconds() + Int64(time / .nanoseconds(1)) }

    package var hasPassed: Bool { monotonicNanoseconds() >= nanoseconds }

    /// Zero once it has passed.
    package var remaining: Duration { .nanoseconds(max(0, nanoseconds - monotonicNanoseconds())) }
}
