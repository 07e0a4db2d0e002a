// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging

/// The start and end of a segment.
package struct SegmentCut: Sendable {
    package let index: Int
    package private(set) var start: Keyframe
    /// The start of the previous segment; `nil` for the first segment.
    package let previous: Keyframe?
    /// The start of the next segment; `nil` for the last segment.
    package private(set) var end: Keyframe?
    /// The end of each track on the timeline, if known.
    package let trackEnds: [MediaTime?]
    /// Whether the packet at an edge must have the demuxer's key flag: true unless the plan comes from an index.
    package let trustsKeyFlags: Bool
    /// For a segment that is not announced yet: the decode time up to which it is read, a little after its known parts.
    /// Reading stops at the first packet of each track that is not before this time. `nil`: the segment ends at `end`.
    package let settled: Int64?

    /// Returns `nil` for a segment that is not announced.
    package init?(index: Int, of plan: SegmentPlan, trackEnds: [MediaTime?]) {
        guard index >= 0, index < plan.segmentCount else { return nil }
        self.index = index
        start = plan.boundaries[index]
        previous = index > 0 ? plan.boundaries[index - 1] : nil
        end = index + 1 < plan.boundaries.count ? plan.boundaries[index + 1] : nil
        self.trackEnds = trackEnds
        trustsKeyFlags = plan.origin != .index
        settled = nil
    }

    /// The known parts of the segment after the announced ones. `nil` if there is none.
    package init?(partsOf plan: SegmentPlan) {
        index = plan.segmentCount
        guard !plan.isComplete, let length = plan.partLength, let line = plan.parts(of: index).last else { return nil }
        start = plan.boundaries[index]
        previous = index > 0 ? plan.boundaries[index - 1] : nil
        end = nil
        trackEnds = []
        trustsKeyFlags = plan.origin != .index
        // The frames after the last line fix the durations of those before it.
        settled = line &+ PartGrid(start: start.time, length: length).rest
    }

    /// The same segment with other edges, in ticks of the leading stream. `nil` keeps an edge.
    func moved(start: Int64?, end: Int64?) -> SegmentCut {
        var cut = self
        if let start { cut.start.time = start }
        if let end { cut.end?.time = end }
        return cut
    }
}
