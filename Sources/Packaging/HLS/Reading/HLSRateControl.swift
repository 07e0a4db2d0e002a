// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides at segment boundaries which rung of a ladder comes next. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
///
/// The caller passes the estimate of `BandwidthMeter`: the lower of two means of the bandwidth, with half-lives of 3
/// and 9 seconds. It follows a drop at once, and a rise after a while.
package struct HLSRateControl: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The rung fits the estimate.
        case fits
        /// No bandwidth has been measured.
        case unmeasured
        /// The rung exceeds the estimate.
        case tooFast
        /// The estimate allows a higher rung.
        case roomAbove
        /// The estimate allows a higher rung, but the buffer is short.
        case shortBuffer
        /// The estimate allows a higher rung, but the last change was too recent.
        case justChanged
        /// The rung exceeds the estimate, but the buffer is long enough to keep it.
        case longBuffer
    }

    package struct Decision: Hashable, Sendable {
        /// Index into the ladder's rungs.
        package var rung: Int
        package var reason: Reason
    }

    /// The share of the estimate that a higher rung may use.
    package static let roomAbove = 0.8
    /// The share of the estimate above which a rung counts as too fast.
    package static let ceiling = 0.95
    /// The least buffer at which to change to a higher rung.
    package static let leastBuffer = MediaTime.seconds(4)
    /// The least buffer at which a rung that is too fast is kept.
    package static let ampleBuffer = MediaTime.seconds(20)
    /// The least time between a change and the next change to a higher rung.
    package static let calm: Int64 = 8_000_000_000

    /// Bits per second, ascending.
    private let bandwidths: [Int64]
    package private(set) var rung: Int
    private var lastChange: Int64?

    /// - Precondition: `bandwidths` is not empty, and `start` one of its indices.
    package init(bandwidths: [Int64], start: Int) {
        precondition(bandwidths.indices.contains(start), "a ladder has a rung to begin with")
        self.bandwidths = bandwidths
        rung = start
    }

    /// - Parameters:
    ///   - estimate: in bits per second. `nil` if unknown.
    ///   - buffered: the duration of the media that is buffered ahead of the playhead.
    package mutating func decide(estimate: Double?, buffered: MediaTime, now: Int64) -> Decision {
        guard let estimate else { return Decision(rung: rung, reason: .unmeasured) }
        if Double(bandwidths[rung]) > estimate * Self.ceiling {
            guard rung > 0 else { return Decision(rung: rung, reason: .tooFast) }
            guard buffered < Self.ampleBuffer else { return Decision(rung: rung, reason: .longBuffer) }
            return change(to: min(rung - 1, best(estimate)), .tooFast, now)
        }
        let best = best(estimate)
        guard best > rung else { return Decision(rung: rung, reason: .fits) }
        guard buffered >= Self.leastBuffer else { return Decision(rung: rung, reason: .shortBuffer) }
        if let lastChange, now - lastChange < Self.calm { return Decision(rung: rung, reason: .justChanged) }
        return change(to: best, .roomAbove, now)
    }

    /// The highest rung that leaves room, otherwise the lowest.
    private func best(_ estimate: Double) -> Int {
        bandwidths.lastIndex { Double($0) <= estimate * Self.roomAbove } ?? 0
    }

    private mutating func change(to rung: Int, _ reason: Reason, _ now: Int64) -> Decision {
        self.rung = rung
        lastChange = now
        return Decision(rung: rung, reason: reason)
    }
}
