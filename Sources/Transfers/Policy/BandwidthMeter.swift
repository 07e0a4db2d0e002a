// SPDX-License-Identifier: Apache-2.0

/// Estimates the bandwidth of a source in bytes per second, from the bytes that its transfers receive. Pure; times are
/// in nanoseconds of CLOCK_MONOTONIC.
///
/// Idle time does not count. The bytes of concurrent transfers are added up.
package struct BandwidthMeter: Sendable {
    /// The shortest measuring interval: shorter ones would measure bursts from the socket's buffer.
    private static let shortest: Int64 = 125_000_000
    /// The bytes required before there is an estimate.
    private static let fewest: Int64 = 64 << 10

    private var fast = DecayingMean(halfLife: 3)
    private var slow = DecayingMean(halfLife: 9)
    private var total: Int64 = 0
    private var active = 0
    private var piece: (since: Int64, nanoseconds: Int64, bytes: Int64) = (0, 0, 0)

    package init() {}

    /// Records that a transfer has begun to receive its body.
    package mutating func began(now: Int64) {
        pass(now)
        active += 1
    }

    package mutating func received(_ bytes: Int64, now: Int64) {
        pass(now)
        piece.bytes += bytes
        total += bytes
        guard piece.nanoseconds >= Self.shortest else { return }
        let seconds = Double(piece.nanoseconds) / 1e9
        let speed = Double(piece.bytes) / seconds
        fast.add(speed, seconds: seconds)
        slow.add(speed, seconds: seconds)
        piece = (now, 0, 0)
    }

    package mutating func ended(now: Int64) {
        received(0, now: now)
        active = max(0, active - 1)
    }

    private mutating func pass(_ now: Int64) {
        if active > 0 { piece.nanoseconds += max(0, now - piece.since) }
        piece.since = now
    }

    /// Both means; `bytesPerSecond` is the lower one. `nil` until enough bytes were received.
    package var estimates: (fast: Double, slow: Double)? {
        guard total >= Self.fewest, let fast = fast.value, let slow = slow.value else { return nil }
        return (fast, slow)
    }

    package var bytesPerSecond: Double? { estimates.map { min($0.fast, $0.slow) } }
}
