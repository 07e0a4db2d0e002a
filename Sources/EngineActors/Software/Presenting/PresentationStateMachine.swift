// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what playback in the engine does: commands, what is decoded, what is heard, and the passing of time go in; the
/// playhead, its state and a few effects come out. No waiting, no clock of its own.
package struct PresentationStateMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// Nothing is loaded.
        case empty
        /// Media at a new place is being decoded. `seek`: the number of the seek that leads there.
        case landing(seek: UInt64?)
        case standing
        case moving
        /// Wants to move; what is decoded does not suffice. `since`: an underrun, or the beginning.
        case buffering(isUnderrun: Bool)
        case ended
    }

    package enum Effect: Hashable, Sendable {
        /// Everything that was decoded is worth nothing; decoding begins at this place.
        case begin(at: MediaTime)
        case runSound(Bool)
        /// The next round of the loop is shown.
        case nextLap
    }

    /// What playback begins with.
    static let firstStock = MediaTime(microseconds: 300_000)
    /// Below this the playhead waits, until there is `enough` again.
    static let least = MediaTime(microseconds: 150_000)
    static let enough = MediaTime(microseconds: 2_000_000)
    /// How long pictures may stay away before a playhead that only they need waits.
    static let patience: Int64 = 500_000_000
    /// Samples are not microseconds.
    static let slack = MediaTime(microseconds: 500)

    package internal(set) var state = State.empty
    var clock = PlayheadClock(position: .zero)
    package internal(set) var wantsToPlay = false
    package internal(set) var rate = 1.0
    package var isLooping = false
    /// Of the session. `nil` while it is not known.
    package var duration: MediaTime?
    /// The last seek that has landed.
    package internal(set) var landedSeek: UInt64 = 0
    /// Counts flushes of pictures.
    package internal(set) var generation: UInt64 = 0
    /// The round of a loop, counted like generations are.
    package internal(set) var lap: UInt64 = 0
    var isSoundRunning = false
    private var effects: [Effect] = []

    package init() {}

    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func note(_ effect: Effect) { effects.append(effect) }

    /// As it is told: within the session.
    package func position(at now: Int64) -> MediaTime {
        let position = playhead(at: now)
        return max(.zero, duration.map { min($0, position) } ?? position)
    }

    /// Where pictures and sound are wanted: a film may go on behind what it says is its length.
    package func playhead(at now: Int64) -> MediaTime { max(.zero, clock.position(at: now)) }

    package var movingRate: Double { clock.anchor.rate }

    /// The line on which the playhead is, when who follows it knows another one.
    package mutating func takeAnchor() -> PositionAnchor? { clock.takeNews(requestedRate: rate) }

    package mutating func forgetWhatWasTold() { clock.forgetWhatWasTold() }

    // MARK: Commands

    package mutating func load(at position: MediaTime, now: Int64) {
        landedSeek = 0
        land(at: position, seek: nil, now: now)
    }

    package mutating func seek(_ id: UInt64, to position: MediaTime, at now: Int64) {
        guard state != .empty else { return }
        land(at: max(.zero, duration.map { min($0, position) } ?? position), seek: id, now: now)
    }

    package mutating func play(at now: Int64) { wantsToPlay = true }

    package mutating func pause(at now: Int64) {
        wantsToPlay = false
        switch state {
        case .moving, .buffering: rest(at: now)
        case .empty, .landing, .standing, .ended: break
        }
    }

    package mutating func setRate(_ rate: Double, at now: Int64) {
        self.rate = max(0, rate)
        if self.rate == 0, state == .moving { rest(at: now) }
    }

    /// Other sinks are there than before: what they need is decoded from here on, and what is there is kept.
    package mutating func sinksChanged(at now: Int64) {
        switch state {
        case .moving, .buffering, .standing:
            clock.stop(at: now)
            stopSound()
            state = .landing(seek: nil)
        case .empty, .landing, .ended: break
        }
    }

    /// What is done to pictures is another: the one that stands is to be seen anew. Those of a playhead that moves follow anyway.
    ///
    /// - Returns: whether it is to be decoded again.
    package mutating func redraw() -> Bool {
        switch state {
        case .standing, .landing, .ended:
            generation += 1
            return true
        case .empty, .moving, .buffering: return false
        }
    }

    /// Nobody listens any more: the clock goes on by itself.
    package mutating func soundIsGone(at now: Int64) {
        isSoundRunning = false
        if state == .moving { clock.move(at: rate, from: now) }
    }

    package mutating func stop(at now: Int64) {
        clock.stop(at: now)
        stopSound()
        state = .empty
    }

    // MARK: Ways to other states

    private mutating func land(at position: MediaTime, seek: UInt64?, now: Int64) {
        stopSound()
        clock.stop(at: now)
        clock.place(at: position, now: now)
        generation += 1
        lap += 1
        state = .landing(seek: seek)
        note(.begin(at: position))
    }

    mutating func rest(at now: Int64) {
        clock.stop(at: now)
        stopSound()
        state = .standing
    }

    mutating func stopSound() {
        guard isSoundRunning else { return }
        isSoundRunning = false
        note(.runSound(false))
    }
}
