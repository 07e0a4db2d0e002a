// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides where a tap reads next, and when. Pure: callers report the session's anchor and how far the tap has
/// delivered.
package struct TapPace: Sendable {
    package enum Step: Hashable, Sendable {
        /// Read from this position. `skipped` is how much audio was not pulled in time.
        case enter(MediaTime, skipped: MediaTime)
        /// Deliver the next audio.
        case give
        /// Nothing is due before this moment, in nanoseconds of the monotonic clock; `nil`: before the session changes.
        case wait(until: Int64?)
    }

    /// Audio that is not pulled within this time is skipped.
    package static let patience = MediaTime.seconds(2)

    private let pace: AudioTapRequest.Pace
    /// The end of the delivered audio, on the timeline.
    private var cursor: MediaTime?
    private var jumps: UInt64 = 0
    private var isOver = false
    /// Whether nothing has been read since the last jump.
    private var isFresh = true

    package init(_ pace: AudioTapRequest.Pace) { self.pace = pace }

    /// Audio up to `time` was delivered.
    package mutating func gave(to time: MediaTime) { cursor = time }

    /// The source has no more audio from here on.
    package mutating func ended() { isOver = true }

    /// Another stream or source must be read. A free tap continues at the cursor, any other at the playhead.
    package mutating func interrupted() {
        if case .playhead = pace { cursor = nil }
        isOver = false
    }

    /// Whether the tap ends here, whatever the session does.
    package var isFinished: Bool { if case .free = pace { isOver } else { false } }

    /// - Parameters:
    ///   - anchor: the anchor of the session's playhead.
    ///   - jumps: how many times the playhead has jumped.
    ///   - landing: where the playhead last jumped to or stood still; `nil` if unknown. Audio from there on is
    ///     delivered, even if the playhead has moved on since, by less than `patience`.
    ///   - isEntered: whether a source is being read.
    package mutating func step(
        _ anchor: PositionAnchor,
        jumps: UInt64,
        landing: MediaTime? = nil,
        isEntered: Bool,
        at now: Int64
    ) -> Step {
        switch pace {
        case .free(let start):
            if !isEntered { return .enter(cursor ?? start, skipped: .zero) }
            return .give
        case .playhead(let lead):
            if jumps != self.jumps {
                self.jumps = jumps
                cursor = nil
                isOver = false
                isFresh = true
            }
            guard anchor.rate > 0 else { return .wait(until: nil) }
            let playhead = anchor.position(at: now)
            guard let cursor, isEntered else {
                let behind = landing.map { playhead - $0 } ?? .zero
                let place = isFresh && behind > .zero && behind < Self.patience ? landing ?? playhead : playhead
                self.cursor = place
                isFresh = false
                return .enter(place, skipped: .zero)
            }
            if isOver { return .wait(until: nil) }
            if playhead - cursor > Self.patience {
                self.cursor = playhead
                return .enter(playhead, skipped: playhead - cursor)
            }
            let due = cursor - lead
            guard due > playhead else { return .give }
            return .wait(until: anchor.moment(of: due).map { max(now, $0) })
        }
    }
}
