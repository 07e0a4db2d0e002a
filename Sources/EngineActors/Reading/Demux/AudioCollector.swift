// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects the packets for one segment of a bridged track: those whose audio falls into it, and those around it that
/// the decoder and encoder need. The selection depends on the packets' times alone.
struct AudioCollector {
    /// The consequences of a packet for the segment.
    struct Step {
        /// Reading began after the first packet that the segment needs.
        var isTooLate = false
        /// The next segment needs the packet too.
        var isForNext = false
        var isComplete = false
    }

    private let cut: SegmentCut
    private let track: PlayedTrack
    private let bridge: BridgePlan
    private let isCounted: Bool
    private let start: Int64
    private let end: Int64?
    /// Times of the packets that are taken, in ticks of the stream.
    private let window: Range<Int64>
    /// The next segment needs packets from this time on, in ticks of the stream.
    private let nextWindow: Int64
    /// `end` in ticks of the stream.
    private let endTime: Int64
    private var packets: [BridgePacket] = []
    private var isContinued = false
    private var latest: Int64?
    private var frames: Int64 = 0
    private var anchor: Keyframe

    /// `nil` for a track that is not bridged.
    init?(_ cut: SegmentCut, _ track: PlayedTrack, lead: PlayedTrack) {
        guard let bridge = track.bridge else { return nil }
        self.cut = cut
        self.track = track
        self.bridge = bridge
        isCounted = track.timing == .counted && track.stream.index == lead.stream.index
        start = cut.index == 0 ? bridge.firstSample : track.edge(at: cut.start.time, cutBy: lead)
        end = cut.end.map { track.edge(at: $0.time, cutBy: lead) }
        let last = end ?? start + bridge.frameLength
        let bounds = bridge.packetWindow(from: start, to: last)
        window = cut.index == 0 ? .min..<bounds.upperBound : bounds
        nextWindow = bridge.packetWindow(from: last, to: last + bridge.frameLength).lowerBound
        endTime = track.track.timeBase.rescale(last, to: track.stream.timeBase, rounding: .up) &+ track.origin
        anchor = cut.previous ?? cut.start
    }

    var job: BridgeJob { BridgeJob(packets: packets, start: start, end: end, isContinued: isContinued) }

    /// - Parameter trackEnd: where the track ends, in its own ticks, if known.
    mutating func add(_ packet: Packet, isContiguous: Bool, end trackEnd: Int64?) -> Step {
        var step = Step()
        let isFirst = latest == nil
        guard let time = isCounted ? countedTime(packet, &step) : packet.pts ?? packet.dts ?? latest else {
            return step
        }
        if isFirst, !isCounted, !isContiguous, cut.index > 0, time > bridge.firstTime,
            time &- max(1, packet.duration, bridge.packetTicks) >= window.lowerBound
        {
            step.isTooLate = true
            return step
        }
        latest = time
        if end != nil {
            step.isForNext = isCounted ? (packet.position ?? 0) >= cut.start.position : time >= nextWindow
            step.isComplete = time >= window.upperBound
            isContinued = isContinued || time >= endTime
        }
        if end == nil || window.contains(time), time >= window.lowerBound {
            let isTimed = isCounted || packet.pts != nil || packet.dts != nil
            packets.append(BridgePacket(packet: packet, time: isTimed ? time : nil))
        }
        // Do not wait for a track that has ended.
        if end != nil, let trackEnd, track.end(ofPacketAt: time, lasting: packet.duration) >= trackEnd {
            step.isComplete = true
        }
        return step
    }

    /// The time of a frame of an elementary stream. Boundaries are byte positions in the file; frames are counted from
    /// there.
    private mutating func countedTime(_ packet: Packet, _ step: inout Step) -> Int64? {
        guard let position = packet.position else { return nil }
        if latest == nil {
            guard position >= anchor.position else { return nil }
            guard position == anchor.position else {
                step.isTooLate = true
                return nil
            }
        }
        for boundary in [cut.start, cut.end].compactMap({ $0 }) where boundary.position == position {
            anchor = boundary
            frames = 0
        }
        defer { frames += 1 }
        return anchor.time &+ frames &* track.nominalDuration
    }
}
