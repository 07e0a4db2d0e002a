// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The clients' estimate of the playhead. Clients start from the last position they received, and extrapolate with the
/// rate while the status is `Playing` (`Position` and `Seeked` of the specification).
struct ReportedPosition: Hashable, Sendable {
    /// How far the playhead may drift from the clients' estimate before a position is sent.
    static let tolerance = MediaTime(microseconds: 250_000)
    /// The landing of a seek is announced unless it is within this distance of the clients' estimate.
    static let seekTolerance = MediaTime(microseconds: 20_000)

    private var anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)

    func position(at now: Int64) -> MediaTime { anchor.position(at: now) }

    /// Clients have received another status or rate, and extrapolate from their current estimate.
    mutating func move(at rate: Double, now: Int64) { note(position(at: now), rate: rate, now: now) }

    /// Clients have received the position.
    mutating func note(_ position: MediaTime, rate: Double? = nil, now: Int64) {
        anchor.position = position
        anchor.rate = rate ?? anchor.rate
        anchor.monotonicNanoseconds = now
    }

    func isOff(from position: MediaTime, by tolerance: MediaTime, now: Int64) -> Bool {
        let difference = position - self.position(at: now)
        return difference > tolerance || .zero - difference > tolerance
    }
}
