// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SegmentListSource {
    /// The plan of the segments that are listed now.
    func plan(from facts: PlanFacts) throws(EngineError) -> Result<SourcePlan, ContainerIndex.Distrust>? {
        .success(SourcePlan(plan: plan(for: facts.lead, measured: facts.bitRate, holdsBack: true)))
    }

    /// The plan of the list: one segment for each segment of the source, with the duration that the playlist states.
    /// Complete at once, unless the list grows.
    func plan(for lead: PlayedTrack, measured: UInt64, holdsBack: Bool) -> SegmentPlan {
        let base = lead.stream.timeBase
        let isComplete = growth == nil
        let parts = self.parts
        let list = parts[0].list
        func time(_ place: MediaTime) -> Int64 { lead.origin &+ place.ticks(in: base) }
        func boundary(_ index: Int, at place: MediaTime) -> Keyframe {
            Keyframe(time: time(place), seekTimestamp: time(place), position: ListPlace(segment: index).position)
        }
        var boundaries = list.segments.enumerated().map { boundary($0, at: $1.start) }
        if !isComplete, !holdsBack { boundaries.append(boundary(list.segments.count, at: list.duration)) }
        // Media in other lists is cut by time: reading a segment ends with the first packet after the segment or, if
        // audio is bridged, a few packets later. It may take long until these packets are listed, so a segment is
        // announced only once they are in all lists.
        if !isComplete, let reach = loaded.reach {
            let count = list.segments.prefix { $0.end + Interleaving.margin <= reach }.count
            boundaries.removeLast(max(0, boundaries.count - 1 - count))
        }
        return SegmentPlan(
            timeBase: base,
            boundaries: boundaries,
            end: isComplete ? time(list.duration) : nil,
            origin: .playlist,
            restarts: Array(list.groups.dropFirst()),
            keyframes: (lead.kind == .video ? KeyframeTimes(boundaries.map(\.time)) : nil) ?? KeyframeTimes(),
            // Some playlists state no bit rate, or one that is too low. Assume that other segments have up to twice the
            // measured rate.
            bitRate: facts.bitRate >= Int64(clamping: measured) ? facts.bitRate : Int64(clamping: 2 * measured)
        )
    }
}
