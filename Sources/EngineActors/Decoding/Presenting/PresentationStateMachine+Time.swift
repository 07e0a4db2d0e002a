// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension PresentationStateMachine {
    /// What is decoded but not yet shown or heard, at one moment, in the current lap.
    package struct Stock: Hashable, Sendable {
        package struct Pictures: Hashable, Sendable {
            /// Whether the frame to show now is there.
            package var isReady: Bool
            /// End of the last frame.
            package var end: MediaTime
            /// Whether that is the last frame of all.
            package var isComplete: Bool
            /// When the last frame arrived.
            package var lastArrival: Int64

            package init(isReady: Bool, end: MediaTime, isComplete: Bool, lastArrival: Int64) {
                self.isReady = isReady
                self.end = end
                self.isComplete = isComplete
                self.lastArrival = lastArrival
            }
        }

        package struct Sound: Hashable, Sendable {
            /// How much audio there is after the playhead.
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
        package var pictures: Pictures?
        /// `nil`: no audio is wanted, or the source has none.
        package var sound: Sound?
        /// Whether the start is decoded, so that a loop can continue.
        package var isNextLapReady = false
        /// How far sinks that take everything at their own pace have come. `nil`: there is none.
        package var taken: MediaTime?

        package init() {}

        /// Where playback ends, once that is certain.
        package func end(_ duration: MediaTime?) -> MediaTime? {
            guard pictures != nil || sound != nil else { return duration }
            if let pictures, !pictures.isComplete { return nil }
            if let sound, !sound.isComplete { return nil }
            return max(pictures?.end ?? .zero, sound?.end ?? .zero)
        }
    }

    /// Time has passed, or something was decoded, taken or heard.
    package mutating func advance(_ stock: Stock, heard: SoundMap.Place?, at now: Int64) {
        if case .landing(let seek) = state, stock.isPresent {
            if let seek { landedSeek = seek }
            state = .standing
        }
        switch state {
        case .empty, .landing, .ended: break
        case .standing where wantsToPlay && rate > 0: setOut(stock, isUnderrun: false, at: now)
        case .standing: break
        case .buffering(let isUnderrun): setOut(stock, isUnderrun: isUnderrun, at: now)
        case .moving: moveOn(stock, heard: heard, at: now)
        }
    }

    /// Starts to move if enough is decoded, otherwise buffers.
    private mutating func setOut(_ stock: Stock, isUnderrun: Bool, at now: Int64) {
        let needed = isUnderrun ? Self.enough : Self.firstStock
        let isAtEnd = stock.end(duration).map { clock.position(at: now) >= $0 - Self.slack } ?? false
        guard isAtEnd || stock.suffices(needed) else {
            state = .buffering(isUnderrun: isUnderrun)
            return
        }
        state = .moving
        guard !isAtEnd else { return moveOn(stock, heard: nil, at: now) }
        if stock.sound != nil {
            isSoundRunning = true
            note(.runSound(true))
            // The clock starts to move when the first sample is heard.
        } else {
            clock.move(at: stock.taken == nil ? rate : 0, from: now)
        }
    }

    private mutating func moveOn(_ stock: Stock, heard: SoundMap.Place?, at now: Int64) {
        if let taken = stock.taken {
            clock.stop(at: now)
            clock.place(at: max(taken, clock.position(at: now)), now: now)
        } else if stock.sound != nil, isSoundRunning {
            // Until a sample is heard, the playhead stands.
            listen(heard, at: now)
        } else if clock.anchor.rate != rate {
            clock.move(at: rate, from: now)
        }
        let position = clock.position(at: now)
        if let end = stock.end(duration), position >= end - Self.slack {
            return arrive(at: end, stock, at: now)
        }
        if isStarved(stock, position, at: now) {
            clock.stop(at: now)
            stopSound()
            state = .buffering(isUnderrun: true)
        }
    }

    /// Follows what is heard. Also called right before a command takes effect: the clock alone may have passed a change
    /// of rate in the audio that nothing has noticed yet.
    package mutating func listen(_ heard: SoundMap.Place?, at now: Int64) {
        guard state == .moving, isSoundRunning, let heard else { return }
        // In another lap, the position before it means nothing.
        if heard.lap > lap {
            enterLap(heard.lap)
            clock.place(at: heard.time, now: now)
        }
        clock.follow(heard.time, rate: heard.rate, at: now)
    }

    private mutating func arrive(at end: MediaTime, _ stock: Stock, at now: Int64) {
        guard isLooping, end > .zero else {
            clock.stop(at: now)
            clock.place(at: end, now: now)
            stopSound()
            state = .ended
            return
        }
        // With audio, the lap changes when its first sample is heard.
        if stock.sound != nil, stock.taken == nil, stock.isNextLapReady { return }
        guard stock.isNextLapReady else {
            clock.stop(at: now)
            clock.place(at: end, now: now)
            return
        }
        clock.place(at: max(.zero, clock.position(at: now) - end), now: now)
        if stock.taken == nil { clock.move(at: rate, from: now) }
        enterLap(lap + 1)
    }

    private mutating func enterLap(_ number: UInt64) {
        lap = number
        generation += 1
        clock.forgetWhatWasTold()
        note(.nextLap)
    }

    private func isStarved(_ stock: Stock, _ position: MediaTime, at now: Int64) -> Bool {
        if let sound = stock.sound { return stock.taken == nil && !sound.isComplete && sound.ahead < Self.least }
        guard let pictures = stock.pictures, !pictures.isComplete, stock.taken == nil else { return false }
        return pictures.end < position && now - pictures.lastArrival > Self.patience
    }
}

extension PresentationStateMachine.Stock {
    /// Whether the first frame to show and the first audio to hear are there.
    var isPresent: Bool {
        if let pictures, !pictures.isReady, !pictures.isComplete { return false }
        if let sound, sound.ahead <= .zero, !sound.isComplete { return false }
        return true
    }

    func suffices(_ needed: MediaTime) -> Bool {
        guard isPresent else { return false }
        return sound.map { taken != nil || $0.isComplete || $0.ahead >= needed } ?? true
    }
}
