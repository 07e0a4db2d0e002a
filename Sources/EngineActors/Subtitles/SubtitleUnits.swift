// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Which segment a packet of subtitles belongs to: each packet of a source to exactly one, whoever reads it and from where.
///
/// In MP4, where every track has a table of its samples, the time of a packet decides. In every other container its place in
/// the file does: between the keyframe that opens a segment and the one that opens the next.
struct SubtitleUnits: Sendable {
    let isByTime: Bool
    let lead: ServedTrack
    let plan: SegmentPlan
    /// Where each segment begins in the file; never less than the one before.
    private let positions: [Int64]

    init(_ source: OpenedSource, _ plan: SegmentPlan) {
        isByTime = source.container.isMP4
        lead = source.lead
        self.plan = plan
        var latest = Int64.min
        positions = plan.boundaries.map { boundary in
            latest = max(latest, boundary.position)
            return latest
        }
    }

    var count: Int { plan.segmentCount }

    /// Where unit `index` begins in the file. The first one begins before everything.
    func position(of index: Int) -> Int64 { index == 0 ? .min : positions[index] }

    /// Where the next one begins. `nil` when that is not known, or there is none.
    func end(of index: Int) -> Int64? { index + 1 < positions.count ? positions[index + 1] : nil }

    func unit(atPosition position: Int64) -> Int {
        var (low, high) = (0, positions.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if positions[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// - Parameter time: in ticks of `base`, on the source's clock.
    func unit(at time: Int64, in base: TimeBase) -> Int {
        var (low, high) = (0, plan.boundaries.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if plan.timeBase.rescale(plan.boundaries[middle].time, to: base) <= time {
                low = middle
            } else {
                high = middle
            }
        }
        return low
    }

    /// `nil` for a packet that says neither when nor where it is.
    func unit(of packet: Packet, in base: TimeBase) -> Int? {
        if !isByTime, let position = packet.position { return unit(atPosition: position) }
        return (packet.pts ?? packet.dts).map { unit(at: $0, in: base) }
    }

    /// - Parameter base: of the span's stream.
    func unit(of span: LongSpans.Span, in base: TimeBase) -> Int {
        isByTime ? unit(at: span.start, in: base) : unit(atPosition: span.position)
    }

    // MARK: The timeline

    func start(of index: Int) -> MediaTime {
        guard plan.boundaries.indices.contains(index) else { return .zero }
        return MediaTime(lead.timelineTicks(plan.boundaries[index].time), in: lead.track.timeBase)
    }

    /// The last one ends never: what comes behind the last picture belongs to it.
    func endTime(of index: Int) -> MediaTime? {
        index + 1 < plan.boundaries.count ? start(of: index + 1) : nil
    }

    /// The unit that is presented at `time`. `nil` while there is none.
    func unit(at time: MediaTime) -> Int? {
        plan.segment(at: time.ticks(in: lead.stream.timeBase) &+ lead.origin)
    }

    /// The units that are presented in a stretch of the timeline.
    func units(from start: MediaTime, to end: MediaTime) -> ClosedRange<Int>? {
        guard let first = unit(at: start), let last = unit(at: end), first <= last else { return nil }
        return first...last
    }

    /// Whether a cue starts in a unit: each cue in exactly one.
    func starts(_ cue: Cue, in unit: Int) -> Bool {
        (unit == 0 || cue.start >= start(of: unit)) && endTime(of: unit).map { cue.start < $0 } ?? true
    }
}
