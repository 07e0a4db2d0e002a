// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Puts the packets of a source on one clock: the clock of a followed plan, or of a disc's title.
///
/// Not thread-safe: owned by one reader.
struct SourceClocks {
    private struct PlanClock {
        var clock: DiscontinuityClock
        let bases: [Int: TimeBase]
        let videos: Set<Int>
    }

    /// `nil` until a plan is followed.
    private var plan: PlanClock?
    private var title: TitleClock?

    init() {}

    /// The clocks of a disc's title.
    init(_ timeline: TitleTimeline, _ streams: [StreamInfo]) { title = TitleClock(timeline, streams) }

    /// Call this when the read position jumps.
    ///
    /// - Parameter position: the byte of the source at which reading continues; `nil` if it is not known.
    mutating func enter(at position: Int64?) {
        plan?.clock.enter(at: position ?? 0)
        title?.enter(at: position)
    }

    /// From here on, puts packets on the clock of a plan.
    ///
    /// - Parameter wraps: whether times are 33-bit counts of 90 kHz ticks.
    mutating func follow(_ plan: SegmentPlan, _ streams: [StreamInfo], wraps: Bool) {
        guard self.plan == nil else {
            self.plan?.clock.follow(plan)
            return
        }
        let bases = Dictionary(uniqueKeysWithValues: streams.map { ($0.index, $0.timeBase) })
        let videos = Set(streams.filter { $0.kind == .video }.map(\.index))
        self.plan = PlanClock(clock: DiscontinuityClock(plan, wraps: wraps), bases: bases, videos: videos)
    }

    /// The packet on the clock of the followed plan; `nil` if it is dropped at a join. Unchanged if no plan is
    /// followed.
    mutating func placed(_ packet: Packet) -> Packet? {
        guard let base = plan?.bases[packet.streamIndex] else { return packet }
        let isVideo = plan?.videos.contains(packet.streamIndex) == true
        return plan?.clock.placed(packet, streamBase: base, isVideo: isVideo)
    }

    /// The packet on the clock of the disc's title; `nil` when the title does not present it.
    mutating func presented(_ packet: Packet) -> Packet? {
        guard title != nil else { return packet }
        return title?.placed(packet)
    }
}
