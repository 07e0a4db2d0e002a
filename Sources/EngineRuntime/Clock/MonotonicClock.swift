// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Nanoseconds of CLOCK_MONOTONIC: the clock that every process on this machine shares.
package func monotonicNanoseconds() -> Int64 { csystem_monotonic_nanoseconds() }

/// Nanoseconds of CPU time that all threads of this process have used (CLOCK_PROCESS_CPUTIME_ID).
package func processNanoseconds() -> Int64 { csystem_process_nanoseconds() }

/// Nanoseconds of CPU time that the calling thread has used (CLOCK_THREAD_CPUTIME_ID).
package func threadNanoseconds() -> Int64 { csystem_thread_nanoseconds() }

/// The end of a limited wait, read or search. Callers pass the limit as a `Duration` and keep the resulting deadline.
/// State machines do not use it: they are passed the time and count in nanoseconds.
package struct Deadline: Sendable {
    /// On the clock of `monotonicNanoseconds()`.
    package let nanoseconds: Int64

    package init(in time: Duration) { nanoseconds = monotonicNanoseconds() + Int64(time / .nanoseconds(1)) }

    package var hasPassed: Bool { monotonicNanoseconds() >= nanoseconds }

    /// Zero once the deadline has passed.
    package var remaining: Duration { .nanoseconds(max(0, nanoseconds - monotonicNanoseconds())) }
}
