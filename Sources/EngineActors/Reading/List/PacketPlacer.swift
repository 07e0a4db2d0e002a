// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Puts the times of the packets of one segment on the clock of the whole source, and drops packets that are not played.
/// Pure.
struct PacketPlacer {
    /// Times of a packet, in ticks of its stream.
    struct Times: Hashable {
        var pts: Int64?
        var dts: Int64?
    }

    /// The facts about a segment that the playlist and the segment itself state.
    struct Segment: Hashable {
        /// Its start, relative to the start of the leading list.
        let start: MediaTime
        /// Its number in its group.
        let number: Int
        /// As in `ListClock.tolerance`.
        var isExact = false
        /// As in `OpenSegment`.
        let wraps: Bool
        let isSparse: Bool
        let shift: MediaTime
        /// Whether an earlier segment also has the cues that begin before this one.
        let repeatsCues: Bool
        /// Whether packets before the beginning of the leading list are dropped.
        let endsAtOrigin: Bool
    }

    private let clock: ListClock
    /// The offset to add to the times of the segment, because its clock has restarted. `nil` until the segment's first packet
    /// with a time is placed, and for text.
    private var correction: MediaTime?

    /// - Parameter clock: the clock of the segment's group.
    init(_ clock: ListClock) { self.clock = clock }

    /// - Parameters:
    ///   - times: in ticks of `base`, as the segment states them.
    ///   - target: the time base of the result.
    ///   - correction: finds the offset to add to the times of a segment that deviates from the playlist by this much.
    /// - Returns: `nil` if the packet is not played.
    mutating func place(
        _ times: Times,
        of segment: Segment,
        from base: TimeBase,
        to target: TimeBase,
        correction find: (_ deviation: MediaTime) throws(EngineError) -> MediaTime
    ) throws(EngineError) -> Times? {
        let shift = segment.shift.ticks(in: base)
        func placed(_ time: Int64) -> Int64 {
            clock.placed(time &+ shift, in: base, near: segment.start, wraps: segment.wraps, target: target)
        }
        var placed = Times(pts: times.pts.map(placed), dts: times.dts.map(placed))
        if segment.isSparse, segment.repeatsCues, let pts = placed.pts,
            MediaTime(pts, in: target) < clock.anchor + clock.offset + segment.start - clock.start
        {
            return nil
        }
        if correction == nil, !segment.isSparse, let time = placed.pts ?? placed.dts {
            let deviation = clock.deviation(
                of: MediaTime(time, in: target),
                number: segment.number,
                near: segment.start,
                isExact: segment.isExact
            )
            correction = deviation == .zero ? .zero : try find(deviation)
        }
        if let correction, correction != .zero {
            placed.pts = placed.pts.map { $0 &+ correction.ticks(in: target) }
            placed.dts = placed.dts.map { $0 &+ correction.ticks(in: target) }
        }
        if segment.endsAtOrigin, let time = placed.pts ?? placed.dts, MediaTime(time, in: target) < clock.origin {
            return nil
        }
        return placed
    }
}
