// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Where clients believe the playhead to be: they start from the last position they were told and go on by themselves,
/// at the rate and while the status say so (`Position` and `Seeked` of the specification).
struct ToldPosition: Hashable, Sendable {
    /// A renderer's clock and ours may differ by this much before clients are told.
    static let tolerance = MediaTime(microseconds: 250_000)
    /// A seek that was asked for is told unless it led to where clients believe the playhead to be.
    static let seekTolerance = MediaTime(microseconds: 20_000)

    private var anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)

    func position(at now: Int64) -> MediaTime { anchor.position(at: now) }

    /// Clients heard of another status or rate, and go on from where they believe to be.
    mutating func move(at rate: Double, now: Int64) { tell(position(at: now), rate: rate, now: now) }

    /// Clients are told where it is.
    mutating func tell(_ position: MediaTime, rate: Double? = nil, now: Int64) {
        anchor.position = position
        anchor.rate = rate ?? anchor.rate
        anchor.monotonicNanoseconds = now
    }

    func isOff(from position: MediaTime, by tolerance: MediaTime, now: Int64) -> Bool {
        let difference = position - self.position(at: now)
        return difference > tolerance || .zero - difference > tolerance
    }
}
