// SPDX-License-Identifier: Apache-2.0

/// How a session that is too far behind the live edge of its source gets closer to it.
public enum ChaseMode: String, CaseIterable, Hashable, Sendable {
    /// It stays where it is.
    case off
    /// It skips to the target latency.
    case skip
    /// It plays faster until it is close enough.
    case speed
    /// It keeps to the target latency by playing a little faster or slower all the time, and skips when it is far behind.
    case precise
}
