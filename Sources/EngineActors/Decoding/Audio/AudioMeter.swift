// SPDX-License-Identifier: Apache-2.0

/// Computes how many samples a sink that consumes audio at an even pace has played, from the number delivered and the
/// elapsed time.
struct AudioMeter: Sendable {
    /// Samples per second.
    private var rate = 48_000.0
    private(set) var given: Int64 = 0
    /// Samples heard until `since`.
    private var heard = 0.0
    private var since: Int64 = 0
    private(set) var isRunning = false

    mutating func setRunning(_ isRunning: Bool, at now: Int64) {
        settle(at: now)
        self.isRunning = isRunning
    }

    mutating func add(_ count: Int, rate: Int, at now: Int64) {
        settle(at: now)
        self.rate = Double(rate)
        given += Int64(count)
    }

    /// Restarts counting at 0.
    mutating func reset(at now: Int64) {
        settle(at: now)
        heard = 0
        given = 0
    }

    /// The number of samples heard. Never exceeds `given`: a sink that has run dry waits.
    func heard(at now: Int64) -> Int64 { Int64(exactHeard(at: now)) }

    /// Nanoseconds until at most `count` samples are unheard, provided that the meter keeps running.
    func wait(untilLeft count: Int64, at now: Int64) -> Int64 {
        let surplus = Double(given - count) - exactHeard(at: now)
        return surplus <= 0 ? 0 : Int64(surplus / rate * 1_000_000_000) + 1
    }

    private func exactHeard(at now: Int64) -> Double {
        guard isRunning else { return heard }
        return min(heard + Double(max(0, now - since)) / 1_000_000_000 * rate, Double(given))
    }

    private mutating func settle(at now: Int64) {
        heard = exactHeard(at: now)
        since = now
    }
}
