// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The position of the playhead, computed from an anchor, which the positions of a master clock correct.
package struct PlayheadClock: Sendable {
    /// The positions of a master jitter by less than this; a larger deviation is a real jump.
    private static let jump = MediaTime(microseconds: 20_000)
    /// One correction removes 1/`correctionDivisor` of a small deviation.
    private static let correctionDivisor: Int64 = 4

    package private(set) var anchor: PositionAnchor
    /// The anchor that followers were last sent.
    private var published: PositionAnchor?

    package init(position: MediaTime, at now: Int64 = 0) {
        anchor = PositionAnchor(position: position, rate: 0, monotonicNanoseconds: now, requestedRate: 1)
    }

    package var isMoving: Bool { anchor.rate != 0 }

    package func position(at now: Int64) -> MediaTime { anchor.position(at: now) }

    /// Continues at `rate` from the current position.
    package mutating func move(at rate: Double, from now: Int64) {
        anchor.position = position(at: now)
        anchor.monotonicNanoseconds = now
        anchor.rate = rate
    }

    package mutating func stop(at now: Int64) { move(at: 0, from: now) }

    /// Moves to `position` and continues at the same rate.
    package mutating func place(at position: MediaTime, now: Int64) {
        anchor.position = position
        anchor.monotonicNanoseconds = now
    }

    /// Corrects the position towards the one that the master reports. A stopped clock starts at the master's position.
    /// Jitter never moves the playhead back behind its last anchor: it waits there for the master.
    package mutating func follow(_ position: MediaTime, rate: Double, at now: Int64) {
        let (last, wasMoving) = (anchor.position, isMoving)
        move(at: rate, from: now)
        let deviation = position - anchor.position
        let isSmall = deviation.microseconds.magnitude < Self.jump.microseconds.magnitude
        let isCorrected = wasMoving && isSmall
        let part = MediaTime(microseconds: deviation.microseconds / Self.correctionDivisor)
        let target = isCorrected ? anchor.position + part : position
        anchor.position = last - target < Self.jump ? max(last, target) : target
    }

    /// The anchor, if followers must be sent it: because its rate differs from the one last sent, or its position by
    /// more than a millisecond.
    package mutating func takeChange(requestedRate: Double) -> PositionAnchor? {
        anchor.requestedRate = requestedRate
        if let published, published.rate == anchor.rate, published.requestedRate == requestedRate {
            let deviation = published.position(at: anchor.monotonicNanoseconds) - anchor.position
            if deviation.microseconds.magnitude <= 1000 { return nil }
        }
        published = anchor
        return anchor
    }

    /// Makes the next `takeChange` return the anchor in any case.
    package mutating func forgetPublished() { published = nil }
}
