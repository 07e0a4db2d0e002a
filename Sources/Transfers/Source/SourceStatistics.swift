// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// Counters of a source since it was created.
package struct SourceStatistics: Sendable {
    package var requests = 0
    package var retries = 0
    /// The number of times no bytes were received for `StallLimits.quiet`.
    package var silences = 0
    package var bytesReceived: Int64 = 0
    package var bytesRead: Int64 = 0
    /// Reads that did not wait, because the bytes were cached.
    package var cacheHits = 0
    /// Bytes that were read from disk instead of the network.
    package var bytesFromDisk: Int64 = 0
    /// The time from sending a request to the first byte of its response, for the last response.
    package var roundTrip = Duration.zero
    /// Bytes per second: means with half-lives of 3 s and 9 s.
    package var bandwidth: (fast: Double, slow: Double)?
}

extension SourceTraffic {
    init(_ counts: SourceStatistics) {
        self.init()
        requests = UInt64(counts.requests)
        retries = UInt64(counts.retries)
        byteCount = UInt64(counts.bytesReceived)
        roundTripMicroseconds = UInt64(max(0, counts.roundTrip / .microseconds(1)))
        cacheHits = UInt64(counts.cacheHits)
        diskByteCount = UInt64(counts.bytesFromDisk)
        fastBytesPerSecond = UInt64(max(0, counts.bandwidth?.fast ?? 0))
        slowBytesPerSecond = UInt64(max(0, counts.bandwidth?.slow ?? 0))
        bytesPerSecond = min(fastBytesPerSecond, slowBytesPerSecond)
    }
}

/// The traffic of all sources, including those that were released, so that its counters never fall.
///
/// Thread-safety: safe.
package final class TrafficTally: Sendable {
    private let counts = Locked(SourceTraffic())

    /// Only the requests, retries, bytes and cache hits are counted; the other values are 0.
    package var total: SourceTraffic { counts.withLock { $0 } }

    fileprivate func count(_ change: (inout SourceTraffic) -> Void) { counts.withLock { change(&$0) } }
}

/// Counts the bytes of a source that are fetched and read. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
struct TrafficCounter: Sendable {
    /// The time without contact after which `startsSlowly` is true, in nanoseconds: longer than usual retransmission
    /// timeouts.
    private static let idleTime: Int64 = 300_000_000
    /// A server that has sent fewer bytes has only begun.
    private static let slowStart: Int64 = 64 << 10

    private var counts = SourceStatistics()
    private var meter = BandwidthMeter()
    private let tally: TrafficTally?
    /// When the server last sent something; 0 if it never did.
    private(set) var lastContact: Int64 = 0

    /// - Parameter tally: counts the same for all sources together.
    init(_ tally: TrafficTally? = nil) { self.tally = tally }

    var statistics: SourceStatistics {
        var counts = counts
        counts.bandwidth = meter.estimates
        return counts
    }

    /// The estimated bandwidth; `nil` if there is no estimate.
    var bytesPerSecond: Double? { meter.bytesPerSecond }

    mutating func requested() {
        counts.requests += 1
        tally?.count { $0.requests += 1 }
    }

    mutating func retried() {
        counts.retries += 1
        tally?.count { $0.retries += 1 }
    }

    mutating func wentQuiet() { counts.silences += 1 }

    /// - Parameter isHit: whether the reader did not wait.
    mutating func read(_ count: Int64, isHit: Bool) {
        counts.bytesRead += count
        guard isHit else { return }
        counts.cacheHits += 1
        tally?.count { $0.cacheHits += 1 }
    }

    mutating func loaded(_ count: Int64) {
        counts.bytesFromDisk += count
        tally?.count { $0.diskByteCount += UInt64(count) }
    }

    /// Whether TCP starts slowly on every connection: the server has only begun to send, or has sent nothing for so
    /// long that the congestion windows have shrunk (RFC 5681 §3.1, §4.1).
    func startsSlowly(now: Int64) -> Bool {
        counts.bytesReceived < Self.slowStart || now - lastContact > Self.idleTime
    }

    mutating func contacted(now: Int64) { lastContact = now }

    /// The body of a response has begun.
    mutating func began(now: Int64) { meter.began(now: now) }

    mutating func received(_ count: Int64, now: Int64) {
        lastContact = now
        counts.bytesReceived += count
        tally?.count { $0.byteCount += UInt64(count) }
        meter.received(count, now: now)
    }

    /// - Parameter hadBody: whether `began` was called for the request.
    mutating func ended(_ facts: TransferFacts, hadBody: Bool, now: Int64) {
        if facts.head != nil { counts.roundTrip = facts.timeToFirstByte }
        if hadBody { meter.ended(now: now) }
    }
}
