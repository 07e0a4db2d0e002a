// SPDX-License-Identifier: Apache-2.0

/// A position or duration on a session's timeline, in microseconds.
///
/// The timeline starts at 0 at the start of the source. Values that are on the source's own clock say so. Exact
/// arithmetic within one track uses that track's ticks; this type is for values that cross modules and processes.
public struct MediaTime: Hashable, Comparable, Sendable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    package init(_ ticks: Int64, in timeBase: TimeBase) { microseconds = timeBase.microseconds(ticks) }

    /// Rounded to a microsecond, saturated at 64 bits.
    ///
    /// - Precondition: `seconds` is not NaN.
    public static func seconds(_ seconds: Double) -> MediaTime {
        precondition(!seconds.isNaN, "a time is a number")
        let microseconds = (seconds * 1_000_000).rounded()
        return MediaTime(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
    }

    public static let zero = MediaTime(microseconds: 0)

    public var seconds: Double { Double(microseconds) / 1_000_000 }

    package func ticks(in timeBase: TimeBase, rounding: TimeBase.Rounding = .nearest) -> Int64 {
        TimeBase.microseconds.rescale(microseconds, to: timeBase, rounding: rounding)
    }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }
    public static func + (lhs: Self, rhs: Self) -> Self { Self(microseconds: lhs.microseconds &+ rhs.microseconds) }
    public static func - (lhs: Self, rhs: Self) -> Self { Self(microseconds: lhs.microseconds &- rhs.microseconds) }
}

/// A half-open range of the timeline.
public struct MediaTimeRange: Hashable, Sendable {
    public var start: MediaTime
    public var end: MediaTime

    public init(start: MediaTime, end: MediaTime) {
        self.start = start
        self.end = end
    }
}
