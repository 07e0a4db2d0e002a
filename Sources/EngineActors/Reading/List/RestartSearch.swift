// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Finds the offset to add to the times of a segment that deviates from its playlist.
struct RestartSearch {
    let source: SegmentListSource
    /// The list, with its number in the source.
    let list: SegmentList
    let number: Int
    /// The clock of the segment's group.
    let clock: ListClock
    let interrupt: InterruptFlag

    /// The first segment of a group is where its playlist places it, and the others follow by their own times. In a list
    /// that slides, the segment itself is where its playlist places it, because the first ones may be gone, and the newest
    /// one may still be arriving.
    ///
    /// - Parameter deviation: as in `ListClock`: the answer if what comes before the segment cannot be read.
    func correction(of segment: Int, deviation: MediaTime) throws(EngineError) -> MediaTime {
        guard !list.slides else { return deviation }
        return try source.restarts.correction(of: segment, in: number) { () throws(EngineError) in
            let group = list.segments[segment].group
            let base = list.head(ofGroup: group)
            var finder = ClockRestarts(
                planned: { clock.planned(list.segments[$0].start) },
                isExact: list.hasExactDurations(inGroup: group),
                extent: extent(of:)
            )
            guard base < segment, let start = try extent(of: base)?.start,
                let distance = try finder.distance(from: base, to: segment)
            else { return deviation }
            return distance + self.deviation(of: base, beginningAt: start)
        }
    }

    private func deviation(of segment: Int, beginningAt start: MediaTime) -> MediaTime {
        let listed = list.segments[segment]
        return clock.deviation(
            of: start,
            number: segment - list.groups[listed.group],
            near: listed.start,
            isExact: list.hasExactDurations(inGroup: listed.group)
        )
    }

    private func extent(of segment: Int) throws(EngineError) -> ClockRestarts.Extent? {
        guard !list.segments[segment].isGap else { return nil }
        return try source.restarts.extent(of: segment, in: number) { () throws(EngineError) in
            do throws(EngineError) {
                let open = try OpenSegment(segment, of: number, in: source, interrupt)
                try open.identifyStreams(of: source, measuresRates: false)
                return try open.extent(near: list.segments[segment].start, by: clock, of: source.path)
            } catch {
                // Another attempt to read a list that is complete may succeed, and must have the same result.
                let isFinal = ![.cancelled, .sourceUnreachable, .sourceReadFailed].contains(error.code)
                guard isFinal || list.slides && error.code != .cancelled else { throw error }
                return nil
            }
        }
    }
}

extension OpenSegment {
    /// When the media of the segment begins and ends. Consumes all packets.
    ///
    /// - Parameters:
    ///   - start: where the segment begins, counted from the start of the list.
    ///   - path: the path of the source.
    func extent(
        near start: MediaTime,
        by clock: ListClock,
        of path: String
    ) throws(EngineError) -> ClockRestarts.Extent? {
        let infos = context.streamInfos().filter { $0.kind == .video || $0.kind == .audio }
        var (first, last): (MediaTime?, MediaTime?)
        while let packet = try nextPacket(of: path) {
            guard let info = infos.first(where: { $0.index == packet.streamIndex }), let time = packet.pts ?? packet.dts
            else { continue }
            let base = info.timeBase
            let shifted = time &+ shift(near: start, by: clock).ticks(in: base)
            let placed = clock.placed(shifted, in: base, near: start, wraps: wraps, target: base)
            let (start, end) = (MediaTime(placed, in: base), MediaTime(placed &+ packet.duration, in: base))
            first = first.map { min($0, start) } ?? start
            last = last.map { max($0, end) } ?? end
        }
        guard let first, let last else { return nil }
        return ClockRestarts.Extent(start: first, end: last)
    }
}
