// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Transfers

/// Estimates the bandwidth at which the segments of a list arrive. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
///
/// A measurement lasts from the start of a fetch until none is running, so that concurrent fetches are added up. Its
/// weight is the time for which its segments play, or the time that it took if that is longer. The estimate therefore
/// follows a change equally fast on a fast link, where fetching takes only a small part of the time.
package struct SegmentThroughput: Hashable, Sendable {
    package struct Fetch: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The bandwidth in bits per second, from both means of the time that a bit takes. The lower one is the estimate:
    /// it follows a drop at once, and a rise after a while.
    package struct Means: Hashable, Sendable {
        package var fast: Double
        package var slow: Double

        package var estimate: Double { min(fast, slow) }
    }

    /// Seconds for each bit, with half-lives of 3 and 9 seconds. A mean of bits per second would hide a drop: a fast
    /// link would outweigh many slow segments.
    private var fast = DecayingMean(halfLife: 3)
    private var slow = DecayingMean(halfLife: 9)
    /// Seconds of fetching for each second of media, with a half-life of 9 seconds.
    private var shares = DecayingMean(halfLife: 9)
    /// A measurement ends after this time even if a fetch is running.
    private static let longest: Int64 = 4_000_000_000
    /// A measurement has at least this many bytes: fewer would measure the latency.
    private static let fewest = 8 << 10

    private struct Sample: Hashable {
        var bytes = 0
        var media = MediaTime.zero
        var nanoseconds: Int64 = 0
    }

    private var sample = Sample()
    /// The start of each running fetch.
    private var running: [UInt64: Int64] = [:]
    private var lastNumber: UInt64 = 0
    /// Up to when the running fetches are counted in `sample`.
    private var counted: Int64 = 0

    package init() {}

    package mutating func begin(now: Int64) -> Fetch {
        count(now)
        lastNumber += 1
        running[lastNumber] = now
        return Fetch(number: lastNumber)
    }

    /// - Parameters:
    ///   - bytes: how many were received; 0 for a fetch that failed.
    ///   - duration: how long they play.
    package mutating func end(_ fetch: Fetch, bytes: Int, lasting duration: MediaTime, now: Int64) {
        count(now)
        guard running.removeValue(forKey: fetch.number) != nil else { return }
        guard bytes > 0 else {
            if running.isEmpty { sample = Sample() }
            return
        }
        sample.bytes += bytes
        sample.media = sample.media + duration
        guard running.isEmpty || sample.nanoseconds >= Self.longest, sample.bytes >= Self.fewest else { return }
        let seconds = Double(max(1, sample.nanoseconds)) / 1e9
        let slowness = seconds / Double(sample.bytes * 8)
        let weight = max(seconds, sample.media.seconds)
        fast.add(slowness, seconds: weight)
        slow.add(slowness, seconds: weight)
        if sample.media > .zero { shares.add(seconds / sample.media.seconds, seconds: weight) }
        sample = Sample()
    }

    private mutating func count(_ now: Int64) {
        if !running.isEmpty { sample.nanoseconds += max(0, now - counted) }
        counted = now
    }

    /// How long fetching takes, as a share of the time that the fetched segments play. `nil` until something was
    /// measured.
    package var share: Double? { shares.value }

    /// `nil` until something was measured.
    package var means: Means? {
        guard let fast = fast.value, let slow = slow.value else { return nil }
        return Means(fast: 1 / fast, slow: 1 / slow)
    }

    /// Whether a fetch has been running for longer than `limit`.
    package func isLate(by limit: MediaTime, now: Int64) -> Bool {
        running.values.contains { now - $0 > limit.microseconds &* 1000 }
    }
}
