// SPDX-License-Identifier: Apache-2.0

/// Decides at the boundaries of a live presentation's segments which rung of a ladder comes next. Pure; times are in
/// nanoseconds of CLOCK_MONOTONIC.
///
/// A change to a lower rung is immediate, and goes as far down as the bandwidth demands. A change to a higher rung goes
/// one rung up, needs room above that rung, and is possible only some time after the last change. So a bandwidth that
/// alternates around a rung does not make the choice alternate.
package struct HLSRateControl: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The rung fits the estimate, and the next higher one does not.
        case fits
        /// No bandwidth has been measured.
        case unmeasured
        /// The rung exceeds the estimate.
        case tooFast
        /// A segment has been loading for longer than the target duration.
        case late
        /// The estimate allows a higher rung.
        case roomAbove
        /// The estimate allows a higher rung, but the last change was too recent.
        case justChanged
    }

    /// The facts on which a decision depends.
    package struct Conditions: Hashable, Sendable {
        /// The bandwidth in bits per second. `nil` if unknown.
        package var estimate: Double?
        /// Whether a segment has been loading for longer than the target duration.
        package var isLate: Bool
        /// Rungs that cannot be changed to now.
        package var barred: Set<Int>
        package var now: Int64

        package init(estimate: Double?, isLate: Bool = false, barred: Set<Int> = [], now: Int64) {
            self.estimate = estimate
            self.isLate = isLate
            self.barred = barred
            self.now = now
        }
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
    /// The least time between a change and the next change to a higher rung.
    package static let calm: Int64 = 8_000_000_000
    /// The least time between a change and the next change because of a late segment. Segments that were listed before
    /// a change are still loaded, and may still be late.
    package static let patience: Int64 = 4_000_000_000

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

    /// The rung that should come next. `change` makes it the current one.
    package func decide(_ conditions: Conditions) -> Decision {
        let open = bandwidths.indices.filter { !conditions.barred.contains($0) }
        let passed = lastChange.map { conditions.now - $0 } ?? .max
        if conditions.isLate, passed >= Self.patience {
            let below = open.last { $0 < rung }
            let fitting = conditions.estimate.flatMap { highest(of: open, within: $0) } ?? below
            return Decision(rung: fitting ?? rung, reason: .late)
        }
        guard let estimate = conditions.estimate else { return Decision(rung: rung, reason: .unmeasured) }
        if Double(bandwidths[rung]) > estimate * Self.ceiling {
            return Decision(rung: highest(of: open, within: estimate) ?? rung, reason: .tooFast)
        }
        guard let above = open.first(where: { $0 > rung }), hasRoom(above, estimate) else {
            return Decision(rung: rung, reason: .fits)
        }
        return passed < Self.calm
            ? Decision(rung: rung, reason: .justChanged) : Decision(rung: above, reason: .roomAbove)
    }

    package mutating func change(to rung: Int, now: Int64) {
        precondition(bandwidths.indices.contains(rung), "the ladder has no such rung")
        self.rung = rung
        lastChange = now
    }

    private func hasRoom(_ rung: Int, _ estimate: Double) -> Bool {
        Double(bandwidths[rung]) <= estimate * Self.roomAbove
    }

    /// The highest of the rungs below the current one that leaves room, otherwise the lowest of them. `nil` if there is
    /// none.
    private func highest(of open: [Int], within estimate: Double) -> Int? {
        let below = open.filter { $0 < rung }
        return below.last { hasRoom($0, estimate) } ?? below.first
    }
}
