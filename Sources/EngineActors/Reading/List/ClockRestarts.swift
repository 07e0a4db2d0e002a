// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Finds where the clock of a group of segments restarts although the playlist declares no discontinuity. Pure, but for
/// what `extent` reads.
///
/// A segment that is far from its place in the playlist shows that the clock has restarted, or that the playlist states
/// wrong durations: within one clock, the media's own times count. Where between two segments the distance changes is
/// found by bisection. There, the clock restarts unless the later segment begins where the earlier one ends.
struct ClockRestarts {
    /// When the media of a segment begins and ends, on the source's clock.
    struct Extent: Hashable, Sendable {
        let start: MediaTime
        let end: MediaTime
    }

    /// The maximum number of segments that are read for one answer. If more would be needed, the durations in the playlist
    /// are wrong in many places, and a clock that has advanced has not restarted.
    private static let probeLimit = 32
    /// The largest gap between two segments on one clock.
    private static let largestGap = MediaTime.seconds(1)

    /// When a segment is presented on the source's clock, according to the playlist.
    private let planned: (Int) -> MediaTime
    private let isExact: Bool
    /// `nil` for a segment that cannot be read any more.
    private let extent: (Int) throws(EngineError) -> Extent?
    private var probes = 0

    init(
        planned: @escaping (Int) -> MediaTime,
        isExact: Bool,
        extent: @escaping (Int) throws(EngineError) -> Extent?
    ) {
        self.planned = planned
        self.isExact = isExact
        self.extent = extent
    }

    /// By how much the times of a segment must be moved, compared with those of an earlier one, because clocks restart
    /// between them. `nil` if one of the two cannot be read.
    mutating func distance(from earlier: Int, to segment: Int) throws(EngineError) -> MediaTime? {
        guard earlier < segment, let first = try extent(earlier), let last = try extent(segment) else { return nil }
        return try restarts(earlier, first, segment, last)
    }

    /// The number between two others that the highest power of two divides: answers for different segments then need the
    /// same others.
    private static func middle(of first: Int, _ last: Int) -> Int {
        var step = 1
        while (first / (2 * step) + 1) * 2 * step < last { step *= 2 }
        return (first / step + 1) * step
    }

    /// By how much later the playlist places the second of two segments, compared with the first, because clocks restart
    /// between them.
    private mutating func restarts(
        _ first: Int,
        _ early: Extent,
        _ last: Int,
        _ late: Extent
    ) throws(EngineError) -> MediaTime {
        let jump = planned(last) - late.start - (planned(first) - early.start)
        let tolerance = ListClock.tolerance(last - first, isExact: isExact)
        guard jump.microseconds.magnitude > tolerance.microseconds.magnitude else { return .zero }
        if last == first + 1 {
            let gap = late.start - early.end
            return gap.microseconds.magnitude <= Self.largestGap.microseconds.magnitude ? .zero : jump
        }
        let middle = Self.middle(of: first, last)
        guard probes < Self.probeLimit, let found = try extent(middle) else {
            return late.start > early.start ? .zero : jump
        }
        probes += 1
        return try restarts(first, early, middle, found) + restarts(middle, found, last, late)
    }
}
