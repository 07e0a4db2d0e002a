// SPDX-License-Identifier: Apache-2.0

/// A position or length on a session's timeline, in microseconds.
///
/// The timeline starts at 0 where the source's own clock starts. Exact work inside one track is done in that track's
/// ticks; this is what crosses modules and processes.
package struct MediaTime: Hashable, Comparable, Sendable {
    package var microseconds: Int64

    package init(microseconds: Int64) { self.microseconds = microseconds }

    package init(_ ticks: Int64, in timeBase: TimeBase) { microseconds = timeBase.microseconds(ticks) }

    package static func seconds(_ seconds: Double) -> MediaTime {
        MediaTime(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    package static let zero = MediaTime(microseconds: 0)

    package var seconds: Double { Double(microseconds) / 1_000_000 }

    package func ticks(in timeBase: TimeBase, rounding: TimeBase.Rounding = .nearest) -> Int64 {
        TimeBase.microseconds.rescale(microseconds, to: timeBase, rounding: rounding)
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.microseconds < rhs.microseconds }
    package static func + (lhs: Self, rhs: Self) -> Self { Self(microseconds: lhs.microseconds &+ rhs.microseconds) }
    package static func - (lhs: Self, rhs: Self) -> Self { Self(microseconds: lhs.microseconds &- rhs.microseconds) }
}

/// A half-open stretch of the timeline.
package struct MediaTimeRange: Hashable, Sendable {
    package var start: MediaTime
    package var end: MediaTime

    package init(start: MediaTime, end: MediaTime) {
        self.start = start
        self.end = end
    }
}
