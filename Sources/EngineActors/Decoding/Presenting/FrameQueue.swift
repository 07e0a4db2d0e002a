// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel

/// Decoded frames between the decoder and the sinks: the one being shown, and a few after it.
package struct FrameQueue: Sendable {
    package struct Entry: Sendable {
        package let frame: TimedFrame
        /// The lap of a loop.
        package let lap: UInt64
        /// Increases by one with each frame.
        package let number: UInt64
    }

    /// At least this many frames may be queued, whatever their size: the frame being shown and its successor.
    private static let minimumCount = 2
    private static let maximumCount = 32
    private static let span = MediaTime(microseconds: 350_000)
    private static let byteLimit = 160 << 20

    package private(set) var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    private var byteCount = 0

    package init() {}

    /// Whether another frame may be decoded.
    package var hasRoom: Bool {
        guard entries.count >= Self.minimumCount else { return true }
        guard entries.count < Self.maximumCount, byteCount < Self.byteLimit else { return false }
        // The total duration of the frames after the one being shown, in this lap and the next.
        let ahead = entries.dropFirst().reduce(MediaTime.zero) { $0 + $1.frame.duration }
        return (MediaTime.zero..<Self.span).contains(ahead)
    }

    package mutating func append(_ frame: TimedFrame, lap: UInt64) {
        lastNumber += 1
        entries.append(Entry(frame: frame, lap: lap, number: lastNumber))
        byteCount += Self.byteCount(of: frame)
    }

    /// The first frame of `lap` after the one numbered `number`.
    package func next(after number: UInt64, lap: UInt64) -> Entry? {
        entries.first { $0.number > number && $0.lap == lap }
    }

    /// The frame to show at `position`.
    package func current(at position: MediaTime, lap: UInt64) -> Entry? {
        entries.last { $0.lap == lap && $0.frame.time <= position }
    }

    /// The target of a step by `frames`, which may be negative, from `position`. Frames outside the queue are assumed
    /// to last as long as the one shown at `position`. `nil` if no frame is shown there.
    package func target(of frames: Int, from position: MediaTime, lap: UInt64) -> MediaTime? {
        guard let current = current(at: position, lap: lap)?.frame else { return nil }
        let length = max(1, current.duration.microseconds)
        guard frames > 0 else {
            // One microsecond before the end of the target frame, because its start is not known.
            let end = current.time.microseconds + Int64(frames + 1) * length
            return MediaTime(microseconds: end - 1)
        }
        let later = entries.filter { $0.lap == lap && $0.frame.time > current.time }.map(\.frame.time)
        if frames <= later.count { return later[frames - 1] }
        return (later.last ?? current.time) + MediaTime(microseconds: Int64(frames - later.count) * length)
    }

    /// The time at which the frame after `position` must be shown.
    package func nextChange(after position: MediaTime, lap: UInt64) -> MediaTime? {
        entries.first { $0.lap == lap && $0.frame.time > position }?.frame.time
    }

    package func contains(lap: UInt64) -> Bool { entries.contains { $0.lap == lap } }

    /// Drops frames that are no longer shown. The frame on screen is kept until its successor is due.
    package mutating func trim(to position: MediaTime, lap: UInt64) {
        while entries.count > 1 {
            let next = entries[1]
            guard next.lap < lap || (next.lap == lap && next.frame.time <= position) else { return }
            byteCount -= Self.byteCount(of: entries.removeFirst().frame)
        }
    }

    /// Keeps only frames of lap `lap` or earlier.
    package mutating func dropAll(after lap: UInt64) {
        for entry in entries where entry.lap > lap { byteCount -= Self.byteCount(of: entry.frame) }
        entries.removeAll { $0.lap > lap }
    }

    package mutating func removeAll() {
        entries = []
        byteCount = 0
    }

    /// Assumed size in bytes: enough for 4:2:0 with 10 bits, or 4:4:4 with 8 bits.
    private static func byteCount(of timed: TimedFrame) -> Int {
        timed.frame.width * timed.frame.height * 3
    }
}
