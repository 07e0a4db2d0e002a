// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides what playback in the engine does: commands, decoded media, heard audio and the passing of time go in; the
/// playhead, its state and a few effects come out. Never waits, and has no clock of its own.
package struct PresentationStateMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// Nothing is loaded.
        case empty
        /// Media at a new position is being decoded. `seek`: the number of the seek that leads there.
        case landing(seek: UInt64?)
        case standing
        case moving
        /// Wants to move, but too little is decoded. `isUnderrun`: since an underrun, otherwise since the beginning.
        case buffering(isUnderrun: Bool)
        case ended
    }

    package enum Effect: Hashable, Sendable {
        /// Everything decoded so far is obsolete; decoding begins at this position.
        case begin(at: MediaTime)
        case runSound(Bool)
        /// The next lap of the loop is shown.
        case nextLap
    }

    /// How much audio must be decoded before playback starts.
    static let firstStock = MediaTime(microseconds: 300_000)
    /// With less audio than this ahead, the playhead waits until there is `enough` again.
    static let least = MediaTime(microseconds: 150_000)
    static let enough = MediaTime(microseconds: 2_000_000)
    /// How long a playhead without audio moves on while no frames arrive, in nanoseconds.
    static let patience: Int64 = 500_000_000
    /// Tolerance, because samples do not fall on whole microseconds.
    static let slack = MediaTime(microseconds: 500)

    package internal(set) var state = State.empty
    var clock = PlayheadClock(position: .zero)
    package internal(set) var wantsToPlay = false
    package internal(set) var rate = 1.0
    package var isLooping = false
    /// Duration of the session. `nil` while it is not known.
    package var duration: MediaTime?
    /// The last seek that has landed.
    package internal(set) var landedSeek: UInt64 = 0
    /// Counts flushes of frames.
    package internal(set) var generation: UInt64 = 0
    /// Number of the current lap. Every lap of a loop, every load and every seek gets a new one.
    package internal(set) var lap: UInt64 = 0
    var isSoundRunning = false
    private var effects: [Effect] = []

    package init() {}

    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    mutating func note(_ effect: Effect) { effects.append(effect) }

    /// The position as reported: within the session.
    package func position(at now: Int64) -> MediaTime {
        let position = playhead(at: now)
        return max(.zero, duration.map { min($0, position) } ?? position)
    }

    /// The position from which video and audio are wanted: a source may continue past its stated duration.
    package func playhead(at now: Int64) -> MediaTime { max(.zero, clock.position(at: now)) }

    package var movingRate: Double { clock.anchor.rate }

    /// The line on which the playhead moves, if its followers know another one.
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

    /// The sinks have changed: what they need is decoded from here on, and what is decoded already is kept.
    package mutating func sinksChanged(at now: Int64) {
        switch state {
        case .moving, .buffering, .standing:
            clock.stop(at: now)
            stopSound()
            state = .landing(seek: nil)
        case .empty, .landing, .ended: break
        }
    }

    /// The processing of frames has changed: a standing frame must be shown again. A moving playhead shows new frames
    /// anyway.
    ///
    /// - Returns: whether the frame must be decoded again.
    package mutating func redraw() -> Bool {
        switch state {
        case .standing, .landing, .ended:
            generation += 1
            return true
        case .empty, .moving, .buffering: return false
        }
    }

    /// No audio sink is left: the clock continues on its own.
    package mutating func soundIsGone(at now: Int64) {
        isSoundRunning = false
        if state == .moving { clock.move(at: rate, from: now) }
    }

    package mutating func stop(at now: Int64) {
        clock.stop(at: now)
        stopSound()
        state = .empty
    }

    // MARK: State transitions

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
