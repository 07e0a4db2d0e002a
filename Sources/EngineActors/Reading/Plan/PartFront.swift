// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// How much of the segment after the announced ones is known, so that it can be announced in parts. Pure: the scan feeds it.
///
/// Once a keyframe is known that starts the next segment, the parts that are announced end at the latest with the
/// picture before it: the last part ends with the segment, and is announced with it.
struct PartFront {
    /// As long as the end of a segment is unknown, its bridged audio is encoded as if the segment ended this much after
    /// `settled`, so that no frame of a part is the last one that is encoded.
    static let reach = MediaTime(microseconds: 50_000)

    /// In ticks of the leading stream.
    let length: Int64
    /// How far all tracks must be past the end of a part, in the same ticks, because bridged audio depends on packets
    /// after it. 0 if no audio is bridged.
    let margin: Int64
    /// The same for the end of a segment: the frames after it show where its presentation ends.
    let boundaryMargin: Int64
    private var start: Int64?
    /// The decode time of the segment's last picture so far.
    private var picture = Int64.min
    /// As in `SegmentPlan`.
    private(set) var settled: Int64?

    /// - Parameter tracks: as in `OpenedSource`.
    init(of tracks: [PlayedTrack]) {
        let base = tracks[0].stream.timeBase
        length = PartGrid.ticks(in: base)
        margin = tracks.compactMap(\.bridge).map { (Self.reach + $0.ahead).ticks(in: base, rounding: .up) }.max() ?? 0
        boundaryMargin = max(margin, PartGrid.remainder.ticks(in: base))
    }

    /// - Parameters:
    ///   - decoded: the time up to which the packets of all tracks have been read, in decoding order.
    ///   - lead: the same for the leading track.
    ///   - start: the start of the segment after the announced ones; `nil` if it must not be announced in parts.
    ///   - isEnding: whether a boundary after `start` is known.
    mutating func advance(to decoded: Int64, lead: Int64, inSegmentAt start: Int64?, isEnding: Bool) {
        if start != self.start { (self.start, settled, picture) = (start, nil, .min) }
        if !isEnding { picture = lead }
        let (reached, isOver) = decoded.subtractingReportingOverflow(margin)
        guard let start, !isOver else { return }
        let known = min(reached, picture)
        if known > start { settled = max(settled ?? known, known) }
    }

    /// The number of known parts.
    var count: Int {
        guard let start, let settled else { return 0 }
        return PartGrid(start: start, length: length).lines(settled: settled).count - 1
    }
}
