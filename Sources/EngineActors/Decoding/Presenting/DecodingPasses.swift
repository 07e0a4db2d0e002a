// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The passes requested of the source, and how far each lap is decoded.
struct DecodingPasses {
    /// How far one lap of a loop is decoded.
    struct Lap {
        let number: UInt64
        fileprivate(set) var framesEnd: MediaTime
        fileprivate(set) var areFramesComplete = false
        /// Whether the source has returned any frame.
        fileprivate(set) var hasFrames = false
        fileprivate(set) var audioEnd: MediaTime
        fileprivate(set) var isAudioComplete = false
        fileprivate(set) var lastFrameAt: Int64
    }

    struct Pass: Hashable {
        let number: UInt64
        let position: MediaTime
        let required: RequiredMedia
        let lap: UInt64
    }

    private(set) var current: Pass?
    private(set) var isBegun = false
    /// A pass that the source has not been asked to begin yet.
    private(set) var pending: Pass?
    /// The lap being shown, and the one after it if its decoding has begun.
    private(set) var laps: [Lap] = []
    private var lastNumber: UInt64 = 0

    /// Begins a pass at `position`, in lap `lap`. Keeps how far that lap was decoded before.
    mutating func begin(at position: MediaTime, lap: UInt64, _ required: RequiredMedia, now: Int64) {
        lastNumber += 1
        isBegun = false
        let pass = Pass(number: lastNumber, position: position, required: required, lap: lap)
        current = pass
        pending = required.isEmpty ? nil : pass
        laps.removeAll { $0.number > lap }
        guard let index = laps.firstIndex(where: { $0.number == lap }) else {
            laps.append(Lap(number: lap, framesEnd: position, audioEnd: position, lastFrameAt: now))
            return
        }
        laps[index].areFramesComplete = false
        laps[index].isAudioComplete = false
        laps[index].lastFrameAt = now
    }

    /// Forgets laps after `number`, and the pass that decodes them.
    ///
    /// - Returns: whether such a pass existed.
    mutating func endLaps(after number: UInt64) -> Bool {
        guard let pass = current, pass.lap > number else { return false }
        laps.removeAll { $0.number > number }
        lastNumber += 1
        current = Pass(number: lastNumber, position: pass.position, required: pass.required, lap: number)
        pending = nil
        isBegun = false
        return true
    }

    /// Forgets how far every lap was decoded.
    mutating func forgetLaps() { laps = [] }

    /// The pass that the source must begin next, if any.
    mutating func takePending() -> Pass? {
        defer { pending = nil }
        return pending
    }

    mutating func began(_ pass: Pass) {
        if current == pass { isBegun = true }
    }

    func lap(_ number: UInt64) -> Lap? { laps.first { $0.number == number } }

    /// Whether a frame with this end has been decoded already.
    func hasFrame(to end: MediaTime, lap: UInt64) -> Bool { end <= (self.lap(lap)?.framesEnd ?? .zero) }

    /// Records a decoded frame that ends at `end`.
    mutating func note(frameTo end: MediaTime, lap: UInt64, at now: Int64) {
        update(lap) {
            $0.framesEnd = max($0.framesEnd, end)
            $0.hasFrames = true
            $0.lastFrameAt = now
        }
    }

    /// Records that the decoded audio now ends at `end`.
    mutating func note(audioTo end: MediaTime, lap: UInt64) { update(lap) { $0.audioEnd = end } }

    mutating func endFrames(of lap: UInt64) { update(lap) { $0.areFramesComplete = true } }

    mutating func endAudio(of lap: UInt64) { update(lap) { $0.isAudioComplete = true } }

    /// Frames after `position` will be decoded again.
    mutating func forgetFrames(of lap: UInt64, after position: MediaTime) {
        update(lap) { $0.framesEnd = position }
    }

    /// Audio after `position` will be decoded again.
    mutating func forgetAudio(of lap: UInt64, after position: MediaTime) { update(lap) { $0.audioEnd = position } }

    private mutating func update(_ number: UInt64, _ change: (inout Lap) -> Void) {
        guard let index = laps.firstIndex(where: { $0.number == number }) else { return }
        change(&laps[index])
    }

    /// Forgets laps before `number`, which are over.
    mutating func trim(to number: UInt64) { laps.removeAll { $0.number < number } }
}
