// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Seconds since 1970-01-01 00:00 UTC. For dates and for ages that outlive the process. Elapsed time is measured with
/// `monotonicNanoseconds`, because this clock can jump.
package func wallClockSeconds() -> Int64 { csystem_realtime_seconds() }
