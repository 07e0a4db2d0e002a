// SPDX-License-Identifier: Apache-2.0

/// A rate limit that allows bursts up to a capacity.
struct TokenBucket {
    private let capacity: Double
    private let perNanosecond: Double
    private var tokens: Double
    private var last: Int64?

    init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        perNanosecond = perSecond / 1_000_000_000
        tokens = capacity
    }

    /// - Parameter now: nanoseconds of a monotonic clock.
    /// - Returns: whether a token was available and has been taken.
    mutating func take(at now: Int64) -> Bool {
        tokens = min(capacity, tokens + Double(now - (last ?? now)) * perNanosecond)
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
