// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Seconds since 1970-01-01 00:00 UTC. Only for display and for HTTP dates, because this clock can jump.
package func wallClockSeconds() -> Int64 { csystem_realtime_seconds() }
