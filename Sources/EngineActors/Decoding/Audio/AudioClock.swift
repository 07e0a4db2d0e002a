// SPDX-License-Identifier: Apache-2.0

/// The time source of a sink that has no device.
package enum AudioClock: Sendable {
    case monotonic
    /// A clock that advances only when a caller moves it: `now` is its time in nanoseconds, and `whenMoved` calls its
    /// argument once, at the next move.
    case manual(now: @Sendable () -> Int64, whenMoved: @Sendable (@escaping @Sendable () -> Void) -> Void)

    /// - Parameter now: the monotonic time in nanoseconds.
    func time(at now: Int64) -> Int64 {
        switch self {
        case .monotonic: now
        case .manual(let ownTime, _): ownTime()
        }
    }
}
