// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Where the playhead is, as a line through one point that its master corrects now and then.
package struct PlayheadClock: Sendable {
    /// What a master says jitters by less than this; what breaks the line by more has really jumped.
    private static let jump = MediaTime(microseconds: 20_000)
    /// Of a small deviation, the part that one correction takes back.
    private static let part: Int64 = 4

    package private(set) var anchor: PositionAnchor
    /// The line as those who follow it know it.
    private var told: PositionAnchor?

    package init(position: MediaTime, at now: Int64 = 0) {
        anchor = PositionAnchor(position: position, rate: 0, monotonicNanoseconds: now, requestedRate: 1)
    }

    package var isMoving: Bool { anchor.rate != 0 }

    package func position(at now: Int64) -> MediaTime { anchor.position(at: now) }

    /// Moves on, at `rate`, from where it is.
    package mutating func move(at rate: Double, from now: Int64) {
        anchor.position = position(at: now)
        anchor.monotonicNanoseconds = now
        anchor.rate = rate
    }

    package mutating func stop(at now: Int64) { move(at: 0, from: now) }

    /// Is at `position` and goes on as it did.
    package mutating func place(at position: MediaTime, now: Int64) {
        anchor.position = position
        anchor.monotonicNanoseconds = now
    }

    /// Comes closer to where the master says it is; a clock that stood begins there. Jitter never takes it back behind its last
    /// anchor: rather it waits for the master.
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

    /// The line, when those who follow it know another one that is off by more than a millisecond.
    package mutating func takeNews(requestedRate: Double) -> PositionAnchor? {
        anchor.requestedRate = requestedRate
        if let told, told.rate == anchor.rate, told.requestedRate == requestedRate {
            let deviation = told.position(at: anchor.monotonicNanoseconds) - anchor.position
            if deviation.microseconds.magnitude <= 1000 { return nil }
        }
        told = anchor
        return anchor
    }

    /// Nobody knows the line any more.
    package mutating func forgetWhatWasTold() { told = nil }
}
