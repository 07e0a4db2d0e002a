// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Assigns durations to frames, and drops frames that end at or before the requested time. Pure.
///
/// Holds one frame back: its duration is known only when the next frame arrives.
struct FrameSpacing<Frame> {
    struct Spaced {
        let frame: Frame
        let time: MediaTime
        let duration: MediaTime
    }

    private static var instant: MediaTime { MediaTime(microseconds: 1) }

    /// The requested time; `nil` when all frames are wanted.
    private let target: MediaTime?
    /// Duration of the last frame, where the source gives none.
    private let usual: MediaTime
    private var held: (frame: Frame, time: MediaTime, length: MediaTime?)?
    private var hasGiven = false

    init(target: MediaTime?, usual: MediaTime) {
        self.target = target
        self.usual = usual
    }

    /// Takes the next frame and returns the one before it, if that is wanted.
    ///
    /// - Parameters:
    ///   - time: if it is not later than the previous frame's, it is set to 1 µs after that one.
    ///   - length: the duration that the source gives.
    ///   - earlier: the corrected time of the previous frame. Has no effect once a frame has been returned.
    mutating func add(
        _ frame: Frame,
        at time: MediaTime,
        lasting length: MediaTime?,
        earlier: MediaTime? = nil
    ) -> Spaced? {
        if let earlier, !hasGiven { held?.time = earlier }
        guard let before = held else {
            held = (frame, time, length)
            return nil
        }
        let time = max(time, before.time + Self.instant)
        held = (frame, time, length)
        if let target, time <= target { return nil }
        hasGiven = true
        // The difference between two extreme times may not be representable.
        let length = time - before.time
        let duration = length > .zero ? length : MediaTime(microseconds: .max)
        return Spaced(frame: before.frame, time: before.time, duration: duration)
    }

    /// The last frame, even if it ends before the requested time, because it stays on screen.
    mutating func finish() -> Spaced? {
        guard let last = held else { return nil }
        held = nil
        let length = last.length.flatMap { $0 > .zero ? $0 : nil } ?? usual
        return Spaced(frame: last.frame, time: last.time, duration: max(length, Self.instant))
    }
}
