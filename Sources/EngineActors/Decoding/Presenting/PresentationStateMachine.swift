// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides about playback in the engine. Input: commands, decoded media, heard audio and the passing of time. Output:
/// the playhead, the state and a few effects. Never waits, and has no clock of its own.
package struct PresentationStateMachine: Sendable {
    package enum State: Hashable, Sendable {
        /// Nothing is loaded.
        case empty
        /// Media at a new position are being decoded. `seek`: the number of the seek to that position, if any.
        case landing(seek: UInt64?)
        case standing
        case moving
        /// Should move, but too little is decoded. `isUnderrun`: whether playback had begun before and ran dry.
        case buffering(isUnderrun: Bool)
        case ended
    }

    package enum Effect: Hashable, Sendable {
        /// Everything decoded so far is obsolete; decoding begins at this position.
        case begin(at: MediaTime)
        case runAudio(Bool)
        /// The next lap of the loop is shown.
        case nextLap
    }

    /// The progress of redrawing the frame on screen, while the playhead stands still.
    private enum Redrawing {
        case none
        case underWay
        /// The processing changed again before the frame was decoded.
        case stale
    }

    /// How much audio must be decoded before playback starts.
    private static let startingAudio = MediaTime(microseconds: 300_000)
    /// With less audio than this ahead, the playhead waits until there is `resumingAudio` again.
    private static let minimumAudio = MediaTime(microseconds: 150_000)
    private static let resumingAudio = MediaTime(microseconds: 2_000_000)
    /// How long a playhead without audio continues past the last decoded frame while no frames arrive, in nanoseconds.
    private static let patience: Int64 = 500_000_000
    /// The maximum time after the end in which a sink may play its last samples, in nanoseconds.
    private static let playOutLimit: Int64 = 250_000_000
    /// Tolerance for rounding: sample times are not whole microseconds.
    static let slack = MediaTime(microseconds: 500)

    package private(set) var state = State.empty
    private var clock = PlayheadClock(position: .zero)
    package private(set) var wantsToPlay = false
    package private(set) var rate = 1.0
    package private(set) var isLooping = false
    /// The duration of the session. `nil` while unknown.
    package private(set) var duration: MediaTime?
    /// The number of the last seek whose target was reached.
    package private(set) var landedSeek: UInt64 = 0
    /// The number of flushes of frames.
    package private(set) var generation: UInt64 = 0
    /// The number of the current lap. Every lap of a loop, every load and every seek gets a new number.
    package private(set) var lap: UInt64 = 0
    private var isAudioRunning = false
    private var redrawing = Redrawing.none
    private var effects: [Effect] = []

    package init() {}

    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    private mutating func note(_ effect: Effect) { effects.append(effect) }

    /// The position to report, which lies within the session's duration.
    package func position(at now: Int64) -> MediaTime {
        let position = playhead(at: now)
        return max(.zero, duration.map { min($0, position) } ?? position)
    }

    /// The position from which video and audio are wanted. A source may continue past its stated duration.
    package func playhead(at now: Int64) -> MediaTime { max(.zero, clock.position(at: now)) }

    /// Whether nothing moves, but `play` may start playback.
    var isAtRest: Bool {
        switch state {
        case .standing, .landing: true
        case .empty, .moving, .buffering, .ended: false
        }
    }

    /// Whether playback has ended, but the sink has yet to play its last samples.
    var isPlayingOut: Bool { state == .ended && isAudioRunning }

    package var movingRate: Double { clock.anchor.rate }

    /// The playhead's anchor, if it differs from the one that followers were last sent.
    package mutating func takeAnchor() -> PositionAnchor? { clock.takeChange(requestedRate: rate) }

    package mutating func forgetPublished() { clock.forgetPublished() }

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

    package mutating func setLooping(_ isLooping: Bool) { self.isLooping = isLooping }

    /// - Parameter duration: `nil` while unknown.
    package mutating func setDuration(_ duration: MediaTime?) { self.duration = duration }

    package mutating func pause(at now: Int64) {
        wantsToPlay = false
        switch state {
        case .moving, .buffering: pauseAtPlayhead(at: now)
        case .empty, .landing, .standing, .ended: break
        }
    }

    /// - Returns: whether audio must be processed at another rate.
    @discardableResult
    package mutating func setRate(_ rate: Double, at now: Int64) -> Bool {
        let before = self.rate
        self.rate = max(0, rate)
        if self.rate == 0, state == .moving { pauseAtPlayhead(at: now) }
        return self.rate != before && self.rate > 0
    }

    /// The sinks have changed: media that they need are decoded from the playhead on; media decoded already are kept.
    package mutating func sinksChanged(at now: Int64) {
        switch state {
        case .moving, .buffering, .standing:
            clock.stop(at: now)
            stopAudio()
            state = .landing(seek: nil)
        case .ended: stopAudio()
        case .empty, .landing: break
        }
    }

    /// The processing of frames has changed: while the playhead stands still, the frame on screen must be redrawn. A
    /// moving playhead shows new frames anyway.
    ///
    /// - Returns: whether the frame must be decoded again now. If a redraw is under way, another one follows it.
    package mutating func redraw() -> Bool {
        guard redrawing == .none else {
            redrawing = .stale
            return false
        }
        switch state {
        case .standing, .landing, .ended:
            generation += 1
            redrawing = .underWay
            return true
        case .empty, .moving, .buffering: return false
        }
    }

    /// - Returns: whether another redraw must begin, because the first one is done but already stale.
    mutating func noteRedrawn(_ stock: Stock) -> Bool {
        guard redrawing != .none, stock.video.map({ $0.isReady || $0.isComplete }) ?? true else { return false }
        defer { redrawing = .none }
        return redrawing == .stale
    }

    /// No audio sink is left: the clock continues on its own.
    package mutating func audioIsGone(at now: Int64) {
        isAudioRunning = false
        if state == .moving { clock.move(at: rate, from: now) }
    }

    package mutating func stop(at now: Int64) {
        clock.stop(at: now)
        stopAudio()
        state = .empty
    }

    // MARK: State transitions

    private mutating func land(at position: MediaTime, seek: UInt64?, now: Int64) {
        stopAudio()
        clock.stop(at: now)
        clock.place(at: position, now: now)
        generation += 1
        lap += 1
        state = .landing(seek: seek)
        note(.begin(at: position))
    }

    private mutating func pauseAtPlayhead(at now: Int64) {
        clock.stop(at: now)
        stopAudio()
        state = .standing
    }

    private mutating func stopAudio() {
        guard isAudioRunning else { return }
        isAudioRunning = false
        note(.runAudio(false))
    }

    // MARK: Time

    /// Applies the passing of time, and media that were decoded, taken or heard.
    package mutating func advance(_ stock: Stock, heard: AudioMap.Place?, at now: Int64) {
        if case .landing(let seek) = state, stock.isPresent {
            if let seek { landedSeek = seek }
            state = .standing
        }
        switch state {
        case .empty, .landing: break
        case .ended: playOut(stock, heard: heard, at: now)
        case .standing where wantsToPlay && rate > 0: startOrBuffer(stock, isUnderrun: false, at: now)
        case .standing: break
        case .buffering(let isUnderrun): startOrBuffer(stock, isUnderrun: isUnderrun, at: now)
        case .moving: advanceMoving(stock, heard: heard, at: now)
        }
    }

    /// Starts to move if enough is decoded, otherwise buffers.
    private mutating func startOrBuffer(_ stock: Stock, isUnderrun: Bool, at now: Int64) {
        let needed = isUnderrun ? Self.resumingAudio : Self.startingAudio
        let isAtEnd = stock.end(duration).map { clock.position(at: now) >= $0 - Self.slack } ?? false
        guard isAtEnd || stock.suffices(needed) else {
            state = .buffering(isUnderrun: isUnderrun)
            return
        }
        state = .moving
        guard !isAtEnd else { return advanceMoving(stock, heard: nil, at: now) }
        if stock.audio != nil {
            isAudioRunning = true
            note(.runAudio(true))
            // The clock starts when the first sample is heard.
        } else {
            clock.move(at: stock.taken == nil ? rate : 0, from: now)
        }
    }

    private mutating func advanceMoving(_ stock: Stock, heard: AudioMap.Place?, at now: Int64) {
        if let taken = stock.taken {
            clock.stop(at: now)
            clock.place(at: max(taken, clock.position(at: now)), now: now)
        } else if stock.audio != nil, isAudioRunning {
            // The playhead stands still until a sample is heard.
            listen(heard, at: now)
        } else if clock.anchor.rate != rate {
            clock.move(at: rate, from: now)
        }
        let position = clock.position(at: now)
        if let end = stock.end(duration), position >= end - Self.slack {
            return arrive(at: end, stock, heard: heard, at: now)
        }
        if isStarved(stock, position, at: now) {
            clock.stop(at: now)
            stopAudio()
            state = .buffering(isUnderrun: true)
        }
    }

    /// Follows the audio that is heard. Also called right before a command takes effect, because the clock may have run
    /// past a change of rate in the audio.
    package mutating func listen(_ heard: AudioMap.Place?, at now: Int64) {
        guard state == .moving, isAudioRunning, let heard else { return }
        // The clock's position belongs to the previous lap, so it cannot be corrected from here.
        if heard.lap > lap {
            enterLap(heard.lap)
            clock.place(at: heard.time, now: now)
        }
        clock.follow(heard.time, rate: heard.rate, at: now)
    }

    private mutating func arrive(at end: MediaTime, _ stock: Stock, heard: AudioMap.Place?, at now: Int64) {
        guard isLooping, end > .zero else {
            clock.stop(at: now)
            clock.place(at: end, now: now)
            state = .ended
            return playOut(stock, heard: heard, at: now)
        }
        // With audio, the lap changes when the first sample of the next one is heard.
        if stock.audio != nil, stock.taken == nil, stock.isNextLapReady { return }
        guard stock.isNextLapReady else {
            clock.stop(at: now)
            clock.place(at: end, now: now)
            return
        }
        clock.place(at: max(.zero, clock.position(at: now) - end), now: now)
        if stock.taken == nil { clock.move(at: rate, from: now) }
        enterLap(lap + 1)
    }

    /// Stops the audio once its last sample is heard. The playhead may reach the end some milliseconds earlier, because
    /// it follows the audio with a tolerance (`PlayheadClock`). Stops it at once if no position is reported, and in any
    /// case after `playOutLimit`.
    private mutating func playOut(_ stock: Stock, heard: AudioMap.Place?, at now: Int64) {
        guard isAudioRunning else { return }
        let isExpected =
            stock.audio != nil && stock.taken == nil
            && now - clock.anchor.monotonicNanoseconds < Self.playOutLimit
        if isExpected, let heard, heard.lap == lap, heard.time < clock.anchor.position { return }
        stopAudio()
    }

    private mutating func enterLap(_ number: UInt64) {
        lap = number
        generation += 1
        clock.forgetPublished()
        note(.nextLap)
    }

    private func isStarved(_ stock: Stock, _ position: MediaTime, at now: Int64) -> Bool {
        if let audio = stock.audio { return stock.taken == nil && !audio.isComplete && audio.ahead < Self.minimumAudio }
        guard let video = stock.video, !video.isComplete, stock.taken == nil else { return false }
        return video.end < position && now - video.lastArrival > Self.patience
    }
}

extension PresentationStateMachine {
    /// The media of the current lap at one moment: how much is decoded, and how far the sinks have come.
    package struct Stock: Hashable, Sendable {
        package struct Video: Hashable, Sendable {
            /// Whether the frame to show now is decoded.
            package var isReady: Bool
            /// The end of the last decoded frame.
            package var end: MediaTime
            /// Whether the last decoded frame is the last one of the lap.
            package var isComplete: Bool
            /// When the last frame was decoded, in nanoseconds of the monotonic clock.
            package var lastArrival: Int64

            package init(isReady: Bool, end: MediaTime, isComplete: Bool, lastArrival: Int64) {
                self.isReady = isReady
                self.end = end
                self.isComplete = isComplete
                self.lastArrival = lastArrival
            }
        }

        package struct Audio: Hashable, Sendable {
            /// How much audio after the playhead is decoded.
            package var ahead: MediaTime
            package var end: MediaTime
            package var isComplete: Bool

            package init(ahead: MediaTime, end: MediaTime, isComplete: Bool) {
                self.ahead = ahead
                self.end = end
                self.isComplete = isComplete
            }
        }

        /// `nil`: no frames are wanted, or the source has none.
        package var video: Video?
        /// `nil`: no audio is wanted, or the source has none.
        package var audio: Audio?
        /// Whether the start of the next lap is decoded, so that a loop can continue.
        package var isNextLapReady = false
        /// How far the sinks that are not real-time have come. `nil`: there are none.
        package var taken: MediaTime?

        package init() {}

        /// The position at which playback ends, once that is certain.
        package func end(_ duration: MediaTime?) -> MediaTime? {
            guard video != nil || audio != nil else { return duration }
            if let video, !video.isComplete { return nil }
            if let audio, !audio.isComplete { return nil }
            return max(video?.end ?? .zero, audio?.end ?? .zero)
        }

        /// Whether the first frame to show and the first audio to play are decoded.
        var isPresent: Bool {
            if let video, !video.isReady, !video.isComplete { return false }
            if let audio, audio.ahead <= .zero, !audio.isComplete { return false }
            return true
        }

        func suffices(_ needed: MediaTime) -> Bool {
            guard isPresent else { return false }
            return audio.map { taken != nil || $0.isComplete || $0.ahead >= needed } ?? true
        }
    }
}
