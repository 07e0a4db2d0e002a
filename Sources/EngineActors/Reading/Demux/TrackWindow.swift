// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The start and end of a segment on one track, in ticks of the track.
struct TrackWindow: Hashable {
    /// `Int64.min` for the first segment, which takes everything before its end.
    let start: Int64
    /// `nil` for the last segment.
    let end: Int64?
    /// The end of the track, if known.
    let trackEnd: Int64?

    /// - Parameters:
    ///   - place: the track's position in `tracks`.
    ///   - tracks: as in `OpenedSource`.
    init(_ place: Int, of tracks: [PlayedTrack], in cut: SegmentCut) {
        let (track, lead) = (tracks[place], tracks[0])
        func edge(_ keyframe: Keyframe) -> Int64 {
            if track.bridge != nil { return track.edge(at: keyframe.time, cutBy: lead) }
            if place == 0 { return track.timelineTicks(keyframe.time) }
            return lead.stream.timeBase.rescale(
                keyframe.time &- lead.origin,
                to: track.track.timeBase,
                rounding: .up
            )
        }
        start = cut.index == 0 ? .min : edge(cut.start)
        end = cut.end.map(edge)
        trackEnd = cut.trackEnds[place]?.ticks(in: track.track.timeBase)
    }

    /// Whether the track ends before the segment starts. Unknown in the last segment, which ends with the source.
    var isBeyondTrack: Bool {
        guard end != nil, let trackEnd else { return false }
        return trackEnd <= start
    }
}
