// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging

/// The variants of a presentation between which the engine switches, and the one that is played. Pure; times are in
/// nanoseconds of CLOCK_MONOTONIC.
package struct LiveLadder: Hashable, Sendable {
    package struct Rung: Hashable, Sendable {
        /// `SourceVariant.index`.
        package let index: Int
        /// The peak bit rate, in bits per second.
        package let bandwidth: Int64

        package init(index: Int, bandwidth: Int64) {
            self.index = index
            self.bandwidth = bandwidth
        }
    }

    /// A switch that should happen.
    package struct Switch: Hashable, Sendable {
        /// `SourceVariant.index` of the variant that should follow.
        package let index: Int
        fileprivate let rung: Int
        fileprivate let decision: HLSRateControl.Decision
        /// The measured bandwidth in bits per second.
        fileprivate let estimate: Double?
    }

    /// A variant that could not follow is not tried again before this time has passed, in nanoseconds.
    private static let pause: Int64 = 30_000_000_000
    /// How many loads a variant gets to list the next segments.
    private static let patience = 2

    /// In ascending order of bandwidth.
    private let rungs: [Rung]
    private var control: HLSRateControl
    private let isLive: Bool
    /// Until when a rung is not tried.
    private var barred: [Int: Int64] = [:]
    /// How many times in a row a variant has not listed the next segments.
    private var waits = 0
    /// The rungs for which a failure was reported.
    private var reported: Set<Int> = []
    /// The variant that is played since the last switch. `nil` before the first switch.
    package private(set) var played: PlayedVariant?

    /// - Parameters:
    ///   - rungs: in any order; each has a bandwidth.
    ///   - played: `SourceVariant.index` of the one that is played.
    ///   - isLive: whether the presentation is live, which the codes of notices tell.
    /// - Returns: `nil` if there is nothing to switch to.
    package init?(_ rungs: [Rung], playing played: Int, isLive: Bool = true) {
        let rungs = rungs.sorted { ($0.bandwidth, $0.index) < ($1.bandwidth, $1.index) }
        guard rungs.count > 1, let start = rungs.firstIndex(where: { $0.index == played }) else { return nil }
        self.rungs = rungs
        self.isLive = isLive
        control = HLSRateControl(bandwidths: rungs.map(\.bandwidth), start: start)
    }

    /// `SourceVariant.index` of the variant that is played.
    package var current: Int { rungs[control.rung].index }

    /// The switch that suits the bandwidth. `nil` if the variant that is played does.
    ///
    /// - Parameters:
    ///   - estimate: the measured bandwidth in bits per second; `nil` if unknown.
    ///   - isLate: whether a segment has been loading for longer than the target duration.
    package func wanted(estimate: Double?, isLate: Bool, now: Int64) -> Switch? {
        let barred = Set(barred.filter { $0.value > now }.keys)
        let decision = control.decide(.init(estimate: estimate, isLate: isLate, barred: barred, now: now))
        guard decision.rung != control.rung else { return nil }
        return Switch(index: rungs[decision.rung].index, rung: decision.rung, decision: decision, estimate: estimate)
    }

    /// The variant has joined.
    ///
    /// - Parameters:
    ///   - place: where its first segment begins on the timeline.
    /// - Returns: the notice about it.
    package mutating func joined(_ change: Switch, at place: MediaTime, now: Int64) -> Notice {
        let old = rungs[control.rung]
        control.change(to: change.rung, now: now)
        waits = 0
        let new = rungs[change.rung]
        let reason = Self.reason(for: change, from: old)
        played = PlayedVariant(index: new.index, reason: reason)
        let text =
            "from \(place.seconds) s on, variant \(new.index) (\(new.bandwidth) bit/s) is played instead of variant "
            + "\(old.index) (\(old.bandwidth) bit/s): \(reason)"
        return isLive ? Notice(.info, "live.variant_changed", text) : Notice(.info, "source.variant_changed", text)
    }

    private static func reason(for change: Switch, from old: Rung) -> String {
        let measured = change.estimate.map { "\(Int64(clamping: UInt64(max(0, min($0, 1e15))))) bit/s were measured" }
        let what =
            switch change.decision.reason {
            case .late: "segments of variant \(old.index) arrived late"
            case .tooFast: "the bandwidth is too low for variant \(old.index)"
            case .roomAbove, .fits, .unmeasured, .justChanged: "the bandwidth suffices"
            }
        return [what, measured].compactMap(\.self).joined(separator: "; ")
    }

    /// The variant does not list the next segments yet.
    ///
    /// - Returns: whether to load it again soon. If not, the variant that is played continues.
    package mutating func waits(for change: Switch, now: Int64) -> Bool {
        waits += 1
        guard waits > Self.patience else { return true }
        bar(change, now)
        return false
    }

    /// The variant cannot follow at this boundary, but perhaps at a later one.
    package mutating func passed() { waits = 0 }

    /// The variant cannot follow.
    ///
    /// - Returns: the notice about it; `nil` if there was one already.
    package mutating func failed(_ change: Switch, because reason: String, now: Int64) -> Notice? {
        bar(change, now)
        guard reported.insert(change.rung).inserted else { return nil }
        let text = "variant \(change.index) cannot follow variant \(current), which continues: \(reason)"
        return isLive
            ? Notice(.warning, "live.variant_unusable", text) : Notice(.warning, "source.variant_unusable", text)
    }

    private mutating func bar(_ change: Switch, _ now: Int64) {
        waits = 0
        barred[change.rung] = now &+ Self.pause
    }
}

/// The variant that is played after a switch.
package struct PlayedVariant: Hashable, Sendable {
    /// `SourceVariant.index`.
    package let index: Int
    /// `SourceVariant.reason`.
    package let reason: String

    package init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }
}
