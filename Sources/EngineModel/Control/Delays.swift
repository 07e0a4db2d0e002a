// SPDX-License-Identifier: Apache-2.0

/// How much later than their timestamps audio is heard and subtitles are shown; earlier if negative. Whole
/// milliseconds.
public struct Delays: Hashable, Sendable {
    package static let audioRange = MediaTime.seconds(-10)...MediaTime.seconds(10)
    package static let subtitleRange = MediaTime.seconds(-3600)...MediaTime.seconds(3600)

    public private(set) var audio = MediaTime.zero
    public private(set) var subtitles = MediaTime.zero

    public init() {}

    /// Values out of range are clamped.
    package init(audio: MediaTime, subtitles: MediaTime) {
        _ = setAudio(audio)
        _ = setSubtitles(subtitles)
    }

    /// - Returns: whether the delay was out of range and was clamped.
    package mutating func setAudio(_ delay: MediaTime) -> Bool {
        audio = Self.rounded(delay, in: Self.audioRange)
        return !Self.audioRange.contains(delay)
    }

    /// - Returns: whether the delay was out of range and was clamped.
    package mutating func setSubtitles(_ delay: MediaTime) -> Bool {
        subtitles = Self.rounded(delay, in: Self.subtitleRange)
        return !Self.subtitleRange.contains(delay)
    }

    private static func rounded(_ delay: MediaTime, in range: ClosedRange<MediaTime>) -> MediaTime {
        let clamped = min(max(delay, range.lowerBound), range.upperBound).microseconds
        return MediaTime(microseconds: (clamped + (clamped < 0 ? -500 : 500)) / 1000 * 1000)
    }
}

/// A part of the timeline that is repeated: a playhead that reaches its end continues at its start.
public struct LoopPoints: Hashable, Sendable {
    /// The shortest part that can be repeated.
    public static let shortest = MediaTime(microseconds: 100_000)

    public let start: MediaTime
    /// `nil`: not chosen yet, and nothing is repeated.
    public let end: MediaTime?

    /// `nil` if the start is negative, or the end is not at least `shortest` after it.
    public init?(start: MediaTime, end: MediaTime?) {
        guard start >= .zero, end.map({ $0 - start >= Self.shortest }) ?? true else { return nil }
        self.start = start
        self.end = end
    }

    /// These points, with an end beyond `duration` moved to it. `nil` if the start is not before `duration`, or if the
    /// end would be less than `shortest` after the start.
    ///
    /// - Parameter duration: `nil` if it is not known; the points are then returned unchanged.
    package func clamped(to duration: MediaTime?) -> LoopPoints? {
        guard let duration else { return self }
        return start < duration ? LoopPoints(start: start, end: end.map { min($0, duration) }) : nil
    }
}
