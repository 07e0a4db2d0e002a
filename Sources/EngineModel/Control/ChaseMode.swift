// SPDX-License-Identifier: Apache-2.0

/// How a session that is too far behind the live edge of its source gets closer to it.
public enum ChaseMode: String, CaseIterable, Hashable, Sendable {
    /// It does not get closer.
    case off
    /// It skips to the target latency.
    case skip
    /// It plays faster until it is close enough.
    case speed
    /// It always plays a little faster or slower, to keep to the target latency, and skips when it is far behind.
    case precise
}
