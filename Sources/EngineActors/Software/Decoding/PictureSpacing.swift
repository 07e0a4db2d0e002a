// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Gives pictures their durations, and leaves out those that are over before the time that is wanted. Pure.
///
/// Holds one back: how long a picture is shown tells the one behind it.
struct PictureSpacing<Picture> {
    struct Spaced {
        let picture: Picture
        let time: MediaTime
        let duration: MediaTime
    }

    private static var instant: MediaTime { MediaTime(microseconds: 1) }

    /// The first time that is wanted; `nil` when all is.
    private let target: MediaTime?
    /// How long a picture is shown of which nobody says it.
    private let usual: MediaTime
    private var held: (picture: Picture, time: MediaTime, length: MediaTime?)?
    private var hasGiven = false

    init(target: MediaTime?, usual: MediaTime) {
        self.target = target
        self.usual = usual
    }

    /// Takes the next picture and gives the one before it, if that is wanted.
    ///
    /// - Parameters:
    ///   - time: later than those before; else it is made so.
    ///   - length: as the source says.
    ///   - earlier: when the one before is shown after all.
    mutating func add(
        _ picture: Picture,
        at time: MediaTime,
        lasting length: MediaTime?,
        earlier: MediaTime? = nil
    ) -> Spaced? {
        if let earlier, !hasGiven { held?.time = earlier }
        guard let before = held else {
            held = (picture, time, length)
            return nil
        }
        let time = max(time, before.time + Self.instant)
        held = (picture, time, length)
        if let target, time <= target { return nil }
        hasGiven = true
        // From one end of time to the other is more than a number can hold.
        let length = time - before.time
        let duration = length > .zero ? length : MediaTime(microseconds: .max)
        return Spaced(picture: before.picture, time: before.time, duration: duration)
    }

    /// The last picture, wanted or not: it stays.
    mutating func finish() -> Spaced? {
        guard let last = held else { return nil }
        held = nil
        let length = last.length.flatMap { $0 > .zero ? $0 : nil } ?? usual
        return Spaced(picture: last.picture, time: last.time, duration: max(length, Self.instant))
    }
}
