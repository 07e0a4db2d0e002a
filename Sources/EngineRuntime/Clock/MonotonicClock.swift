// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Nanoseconds of CLOCK_MONOTONIC: the clock that every process on this machine shares.
package func monotonicNanoseconds() -> Int64 { csystem_monotonic_nanoseconds() }
