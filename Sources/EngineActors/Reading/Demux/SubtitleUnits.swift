// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
package import Packaging

/// Assigns each subtitle packet to exactly one segment, wherever reading started.
///
/// In MP4, where every track has its own sample table, the packet's time decides. In all other containers its position
/// in the file decides: between the keyframe that opens a segment and the keyframe that opens the next. Without a
/// position, the time decides there too.
package struct SubtitleUnits: Sendable {
    package let isByTime: Bool
    package let lead: PlayedTrack
    package let plan: SegmentPlan
    /// The file position of each segment's start. Never decreases.
    private let positions: [Int64]

    package init(_ source: OpenedSource, _ plan: SegmentPlan) {
        isByTime = source.container.isMP4
        lead = source.lead
        self.plan = plan
        var latest = Int64.min
        positions = plan.boundaries.map { boundary in
            latest = max(latest, boundary.position)
            return latest
        }
    }

    package var count: Int { plan.segmentCount }

    /// The file position where unit `index` starts. The first unit has no lower bound.
    package func position(of index: Int) -> Int64 { index == 0 ? .min : positions[index] }

    /// The file position where the next unit starts. `nil` when it is unknown, or there is no next unit.
    package func end(of index: Int) -> Int64? { index + 1 < positions.count ? positions[index + 1] : nil }

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

    /// `nil` for a packet with neither a time nor a position.
    package func unit(of packet: Packet, in base: TimeBase) -> Int? {
        if !isByTime, let position = packet.position { return unit(atPosition: position) }
        return (packet.pts ?? packet.dts).map { unit(at: $0, in: base) }
    }

    /// - Parameter base: the time base of the span's stream.
    package func unit(of span: LongSpans.Span, in base: TimeBase) -> Int {
        isByTime ? unit(at: span.start, in: base) : unit(atPosition: span.position)
    }

    // MARK: The timeline

    package func start(of index: Int) -> MediaTime {
        guard plan.boundaries.indices.contains(index) else { return .zero }
        return MediaTime(lead.timelineTicks(plan.boundaries[index].time), in: lead.track.timeBase)
    }

    /// `nil` for the last unit, which has no end: packets after the last picture belong to it.
    package func endTime(of index: Int) -> MediaTime? {
        index + 1 < plan.boundaries.count ? start(of: index + 1) : nil
    }

    /// The unit that is presented at `time`. `nil` where there is none yet.
    package func unit(at time: MediaTime) -> Int? {
        plan.segment(at: time.ticks(in: lead.stream.timeBase) &+ lead.origin)
    }

    /// The units that are presented in a range of the timeline. `nil` if there is none yet at one of its ends.
    package func units(from start: MediaTime, to end: MediaTime) -> ClosedRange<Int>? {
        guard let first = unit(at: start), let last = unit(at: end), first <= last else { return nil }
        return first...last
    }

    /// Whether a cue starts in a unit. Each cue starts in exactly one.
    package func starts(_ cue: Cue, in unit: Int) -> Bool {
        (unit == 0 || cue.start >= start(of: unit)) && endTime(of: unit).map { cue.start < $0 } ?? true
    }
}
