// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The start and end of a segment on one track, in ticks of the track.
package struct TrackWindow: Hashable {
    /// `Int64.min` for the first segment, which takes everything before its end.
    let start: Int64
    /// `nil` for the last segment, and for one that is still arriving.
    let end: Int64?
    /// The end of the track, if known. `nil` for a segment that is still arriving.
    let trackEnd: Int64?
    /// As in `SegmentCut`.
    let settled: Int64?

    /// - Parameters:
    ///   - place: the track's position in `tracks`.
    ///   - tracks: as in `OpenedSource`.
    init(_ place: Int, of tracks: [PlayedTrack], in cut: SegmentCut) {
        let track = tracks[place]
        func edge(_ time: Int64) -> Int64 { Self.edge(at: time, place, of: tracks) }
        start = cut.index == 0 ? .min : edge(cut.start.time)
        end = cut.end.map { edge($0.time) }
        settled = cut.settled.map(edge)
        trackEnd = cut.settled == nil ? cut.trackEnds[place]?.ticks(in: track.track.timeBase) : nil
    }

    /// Converts a time of the leading stream to ticks of a track: samples at or after the result are at or after that
    /// time.
    ///
    /// - Parameters:
    ///   - place: the track's position in `tracks`.
    ///   - tracks: as in `OpenedSource`.
    package static func edge(at time: Int64, _ place: Int, of tracks: [PlayedTrack]) -> Int64 {
        let (track, lead) = (tracks[place], tracks[0])
        if track.bridge != nil { return track.edge(at: time, cutBy: lead) }
        if place == 0 { return track.timelineTicks(time) }
        return lead.stream.timeBase.rescale(time &- lead.origin, to: track.track.timeBase, rounding: .up)
    }

    /// Whether the track ends before the segment starts. False for the last segment, which ends with the source.
    var isBeyondTrack: Bool {
        guard end != nil, let trackEnd else { return false }
        return trackEnd <= start
    }
}
