// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Where the playhead is: a line through one point, which its master corrects from time to time.
package struct PlayheadClock: Sendable {
    /// The times of a master jitter by less than this; a larger deviation is a real jump.
    private static let jump = MediaTime(microseconds: 20_000)
    /// One correction takes back 1/`part` of a small deviation.
    private static let part: Int64 = 4

    package private(set) var anchor: PositionAnchor
    /// The anchor that was last sent to its followers.
    private var told: PositionAnchor?

    package init(position: MediaTime, at now: Int64 = 0) {
        anchor = PositionAnchor(position: position, rate: 0, monotonicNanoseconds: now, requestedRate: 1)
    }

    package var isMoving: Bool { anchor.rate != 0 }

    package func position(at now: Int64) -> MediaTime { anchor.position(at: now) }

    /// Continues at `rate` from where it is.
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

    /// Moves closer to the position that its master reports; a clock that stood still starts there. Jitter never moves
    /// it back to before its last anchor: it waits for the master instead.
    package mutating func follow(_ position: MediaTime, rate: Double, at now: Int64) {
        let (last, wasMoving) = (anchor.position, isMoving)
        move(at: rate, from: now)
        let deviation = position - anchor.position
        let isSmall = deviation.microseconds.magnitude < Self.jump.microseconds.magnitude
        let isCorrected = wasMoving && isSmall
        let part = MediaTime(microseconds: deviation.microseconds / Self.part)
        let target = isCorrected ? anchor.position + part : position
        anchor.position = last - target < Self.jump ? max(last, target) : target
    }

    /// The anchor, if followers must be sent it: they were last told another rate, or an anchor that now deviates by
    /// more than a millisecond.
    package mutating func takeNews(requestedRate: Double) -> PositionAnchor? {
        anchor.requestedRate = requestedRate
        if let told, told.rate == anchor.rate, told.requestedRate == requestedRate {
            let deviation = told.position(at: anchor.monotonicNanoseconds) - anchor.position
            if deviation.microseconds.magnitude <= 1000 { return nil }
        }
        told = anchor
        return anchor
    }

    /// Followers must be sent the anchor again.
    package mutating func forgetWhatWasTold() { told = nil }
}
