// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The order in which the segments of a list are read. Pure.
struct SegmentCourse: Hashable {
    enum Step: Hashable {
        case open(Int)
        /// The list has no further segment yet.
        case grow(beyond: Int)
        case end
    }

    /// The segment that is opened next.
    private(set) var next = 0
    /// The last segment that is read.
    private var last = Int.max

    init() {}

    /// Goes to the start of a segment.
    ///
    /// - Parameter last: the last segment to read.
    init(from segment: Int, upTo last: Int) {
        next = max(0, segment)
        self.last = last
    }

    /// Decides what to do when no segment is open. Gaps are passed over.
    ///
    /// - Parameter skipsOld: whether segments are skipped that have left the window of the list.
    mutating func step(in list: SegmentList, skipsOld: Bool) -> Step {
        if skipsOld { next = max(next, list.oldest) }
        while next < list.segments.count, list.segments[next].isGap { next += 1 }
        guard next <= last else { return .end }
        return next < list.segments.count ? .open(next) : .grow(beyond: next)
    }

    /// A segment has been read to its end.
    mutating func pass(_ segment: Int) { next = segment + 1 }
}
