// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What was asked of the source, and how far it has come with that.
struct DecodingPasses {
    /// How far one round of a loop is decoded.
    struct Lap {
        let number: UInt64
        var picturesEnd: MediaTime
        var arePicturesComplete = false
        /// Whether any came.
        var hasPictures = false
        var soundEnd: MediaTime
        var isSoundComplete = false
        var lastPictureAt: Int64
    }

    struct Pass: Hashable {
        let number: UInt64
        let position: MediaTime
        let wishes: MediaWishes
        let lap: UInt64
    }

    private(set) var current: Pass?
    private(set) var isBegun = false
    /// A pass that the source does not know of yet.
    private(set) var pending: Pass?
    /// The round that is shown, and the one that comes after it when that is decoded already.
    private(set) var laps: [Lap] = []
    private var lastNumber: UInt64 = 0

    /// Begins at `position`, in round `lap`. What was decoded of that round before stays known.
    mutating func begin(at position: MediaTime, lap: UInt64, _ wishes: MediaWishes, now: Int64) {
        lastNumber += 1
        isBegun = false
        let pass = Pass(number: lastNumber, position: position, wishes: wishes, lap: lap)
        current = pass
        pending = wishes.isEmpty ? nil : pass
        laps.removeAll { $0.number > lap }
        guard let index = laps.firstIndex(where: { $0.number == lap }) else {
            laps.append(Lap(number: lap, picturesEnd: position, soundEnd: position, lastPictureAt: now))
            return
        }
        laps[index].arePicturesComplete = false
        laps[index].isSoundComplete = false
        laps[index].lastPictureAt = now
    }

    /// Forgets rounds after `number`, and what was asked for them.
    ///
    /// - Returns: whether there was any.
    mutating func endLaps(after number: UInt64) -> Bool {
        guard let pass = current, pass.lap > number else { return false }
        laps.removeAll { $0.number > number }
        lastNumber += 1
        current = Pass(number: lastNumber, position: pass.position, wishes: pass.wishes, lap: number)
        pending = nil
        isBegun = false
        return true
    }

    /// Nothing of what was decoded counts any more.
    mutating func forgetLaps() { laps = [] }

    /// What the source is to be told.
    mutating func takePending() -> Pass? {
        defer { pending = nil }
        return pending
    }

    mutating func began(_ pass: Pass) {
        if current == pass { isBegun = true }
    }

    func lap(_ number: UInt64) -> Lap? { laps.first { $0.number == number } }

    mutating func update(_ number: UInt64, _ change: (inout Lap) -> Void) {
        guard let index = laps.firstIndex(where: { $0.number == number }) else { return }
        change(&laps[index])
    }

    /// Rounds before this one are over.
    mutating func trim(to number: UInt64) { laps.removeAll { $0.number < number } }
}
