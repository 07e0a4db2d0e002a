// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SegmentListSource {
    /// The plan of the list: one segment for each of the source's, as long as the playlist says. Complete at once, unless
    /// the list grows: then its last segment is not announced, because what it holds may depend on the next one.
    ///
    /// - Parameters:
    ///   - lead: the leading track.
    ///   - measured: the bit rate of the first segment, in bits per second, for a list that states none.
    func plan(for lead: PlayedTrack, measured: UInt64) -> SegmentPlan {
        let base = lead.stream.timeBase
        let isComplete = growth == nil
        let list = self.lead
        func time(_ place: MediaTime) -> Int64 { lead.origin &+ place.ticks(in: base) }
        let boundaries = list.segments.enumerated().map { index, segment in
            let start = time(segment.start)
            return Keyframe(time: start, seekTimestamp: start, position: ListPlace(segment: index).position)
        }
        return SegmentPlan(
            timeBase: base,
            boundaries: boundaries,
            end: isComplete ? time(list.duration) : nil,
            origin: .playlist,
            restarts: Array(list.groups.dropFirst()),
            keyframes: (lead.kind == .video ? KeyframeTimes(boundaries.map(\.time)) : nil) ?? KeyframeTimes(),
            // Some playlists state too little. Where nothing is known, others may have twice as many bits.
            bitRate: bitRate >= Int64(clamping: measured) ? bitRate : Int64(clamping: 2 * measured)
        )
    }
}
