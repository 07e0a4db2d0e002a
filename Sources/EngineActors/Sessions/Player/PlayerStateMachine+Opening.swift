// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Before the source is open, playing and seeking are impossible. Commands are kept and carried out once it is open.
extension PlayerStateMachine {
    /// What to do once the source is open.
    package struct Opening: Hashable, Sendable {
        /// A seek that already has its id, but whose position on the timeline is still to be found.
        package struct Seek: Hashable, Sendable {
            package let id: UInt64
            package let command: SeekCommand
        }

        package var thenPlay: Bool
        package var seek: Seek?
        /// How the session rested in an earlier process. Commands given since then take precedence.
        package var rest: SessionRecord.Rest

        package init(thenPlay: Bool = false, rest: SessionRecord.Rest = .ready) {
            self.thenPlay = thenPlay
            self.rest = rest
        }
    }

    /// Far beyond any timeline, and far from overflow.
    private static let farthest = MediaTime(microseconds: 1 << 53)

    /// Keeps a seek, which begins once the source is open. It supersedes a seek that was kept before.
    ///
    /// The playhead moves to the target at once, unless the target is the end, whose position is not known yet.
    ///
    /// - Returns: `nil` when the source is not being opened.
    package mutating func keep(_ seek: SeekCommand) -> SeekAnswer? {
        guard case .opening(var opening) = state else { return nil }
        supersede()
        var kept = seek
        let wanted: MediaTime?
        switch seek.target {
        case .position(let place): wanted = place
        case .relative(let distance): wanted = position + distance
        case .begin: wanted = .zero
        case .end: wanted = nil
        }
        let place = wanted.map { min(max($0, .zero), Self.farthest) }
        if let place {
            kept.target = .position(place)
            position = place
            available = place
        }
        if let thenPlay = seek.thenPlay { opening.thenPlay = thenPlay }
        kept.thenPlay = nil
        let id = nextSeek()
        opening.seek = Opening.Seek(id: id, command: kept)
        state = .opening(opening)
        return SeekAnswer(id: id, isClamped: place != wanted, isRejected: false)
    }

    /// The source is open and planned.
    ///
    /// - Returns: the commands that arrived in the meantime. The caller, which knows the media, carries them out.
    @discardableResult
    package mutating func opened(at now: Int64) -> Opening {
        guard case .opening(let opening) = state else { return Opening() }
        switch opening.rest {
        case _ where opening.thenPlay || opening.seek != nil: enter(.ready, at: now)
        case .ended where isAtEnd: enter(.ended, at: now)
        case .paused, .ended: enter(.paused, at: now)
        case .ready: enter(.ready, at: now)
        }
        return opening
    }
}
