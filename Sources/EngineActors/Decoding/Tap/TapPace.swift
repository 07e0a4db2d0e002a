// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides where a tap reads next, and when. Pure: callers report what the session's clock does and how far the tap has
/// come.
package struct TapPace: Sendable {
    package enum Step: Hashable, Sendable {
        /// Read from another place, because of a jump, or because `skipped` was not taken in time.
        case enter(MediaTime, skipped: MediaTime)
        /// Deliver what comes next.
        case give
        /// Nothing is due before the moment, in nanoseconds of the monotonic clock; `nil`: before the session changes.
        case wait(until: Int64?)
    }

    /// Audio that has not been taken for this long is skipped.
    package static let patience = MediaTime.seconds(2)

    private let pace: AudioTapRequest.Pace
    /// The end of what was delivered, on the timeline.
    private var cursor: MediaTime?
    private var jumps: UInt64 = 0
    private var isOver = false
    /// Whether nothing was read since the last jump.
    private var isFresh = true

    package init(_ pace: AudioTapRequest.Pace) { self.pace = pace }

    /// Audio up to `time` was delivered.
    package mutating func gave(to time: MediaTime) { cursor = time }

    /// The source has no more audio from here on.
    package mutating func ended() { isOver = true }

    /// Another stream or another source must be read. An unpaced tap enters it at the cursor, others at the playhead.
    package mutating func interrupted() {
        if case .playhead = pace { cursor = nil }
        isOver = false
    }

    /// Whether nothing follows, whatever the session does.
    package var isFinished: Bool { if case .free = pace { isOver } else { false } }

    /// - Parameters:
    ///   - anchor: of the session's playhead.
    ///   - jumps: how often the playhead has jumped.
    ///   - landing: where the playhead was when it last jumped or stood still. Audio from there on is delivered, even
    ///     if the playhead has moved on since. `nil`: not known.
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
