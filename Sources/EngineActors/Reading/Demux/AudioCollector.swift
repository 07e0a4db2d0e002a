// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects the packets for one segment of a bridged track: those whose audio falls into it, and those around it that
/// the decoder and encoder need. The selection depends only on the packets' times, or on their positions if frames are
/// counted.
struct AudioCollector {
    private let track: PlayedTrack
    private let bridge: BridgePlan
    private let reach: Reach
    /// Whether another segment precedes this one.
    private let hasEarlier: Bool
    /// `nil` if packets state their times.
    private var counter: FrameCounter?
    private var packets: [BridgePacket] = []
    private var isContinued = false
    private var latest: Int64?
    /// In ticks of the track.
    private var trackEnd: Int64?
    /// Whether a packet has been read that does not show that reading began too late.
    private(set) var hasStarted = false

    /// `nil` for a track that is not bridged.
    init?(_ cut: SegmentCut, _ track: PlayedTrack, lead: PlayedTrack) {
        guard let bridge = track.bridge else { return nil }
        self.track = track
        self.bridge = bridge
        reach = Reach(cut, track, bridge, lead: lead)
        hasEarlier = cut.index > 0
        guard track.timing == .counted, track.stream.index == lead.stream.index else { return }
        counter = FrameCounter(
            from: cut.previous ?? cut.start,
            boundaries: [cut.start, cut.end].compactMap { $0 },
            duration: track.nominalDuration
        )
    }

    var job: BridgeJob {
        BridgeJob(
            packets: packets,
            start: reach.start,
            end: reach.end,
            isContinued: isContinued,
            trackEnd: trackEnd
        )
    }

    /// - Parameter trackEnd: where the track ends, in its own ticks, if known.
    mutating func add(_ packet: Packet, isContiguous: Bool, end trackEnd: Int64?) -> SegmentCollector.Step {
        self.trackEnd = trackEnd
        let step = sort(packet, isContiguous: isContiguous, end: trackEnd)
        if !step.isTooLate { hasStarted = true }
        return step
    }

    private mutating func sort(
        _ packet: Packet,
        isContiguous: Bool,
        end trackEnd: Int64?
    ) -> SegmentCollector.Step {
        let time: Int64
        if counter != nil {
            guard let position = packet.position else { return .nothing }
            switch counter?.note(position) {
            case nil, .early: return .nothing
            case .late: return .tooLate
            case .at(let counted): time = counted
            }
        } else {
            guard let stated = packet.pts ?? packet.dts ?? latest else { return .nothing }
            if latest == nil, !isContiguous, isTooLate(packet, at: stated) { return .tooLate }
            time = stated
        }
        latest = time
        var step = SegmentCollector.Step.nothing
        if reach.end != nil {
            step.isForNext = counter == nil ? time >= reach.next : (packet.position ?? 0) >= reach.startPosition
            step.isComplete = time >= reach.packets.upperBound
            isContinued = isContinued || time >= reach.endTime
        }
        if reach.end == nil || reach.packets.contains(time), time >= reach.packets.lowerBound {
            let isTimed = counter != nil || packet.pts != nil || packet.dts != nil
            packets.append(BridgePacket(packet: packet, time: isTimed ? time : nil))
        }
        // Do not wait for a track that has ended.
        if reach.end != nil, let trackEnd, track.end(ofPacketAt: time, lasting: packet.duration) >= trackEnd {
            step.isComplete = true
        }
        return step
    }

    /// Whether the segment may need a packet before the first one that was read.
    private func isTooLate(_ packet: Packet, at time: Int64) -> Bool {
        hasEarlier && time > bridge.firstTime
            && time &- max(1, packet.duration, bridge.input.packetTicks) >= reach.packets.lowerBound
    }
}

extension AudioCollector {
    /// The ranges of packets that the segment and the next one need.
    private struct Reach {
        /// The segment, in ticks of the track. `end` is `nil` for the last segment, and a time after the known parts
        /// for one that is arriving.
        let start: Int64
        let end: Int64?
        /// `end` on the clock of the stream, in its ticks. Not used if `end` is `nil`.
        let endTime: Int64
        /// The position of the segment's first packet in the file. Used if frames are counted.
        let startPosition: Int64
        /// Times of the packets that the segment needs, in ticks of the stream. For the last segment, only the lower
        /// bound counts.
        let packets: Range<Int64>
        /// The next segment needs packets from this time on, in ticks of the stream.
        let next: Int64

        init(_ cut: SegmentCut, _ track: PlayedTrack, _ bridge: BridgePlan, lead: PlayedTrack) {
            // A bridge that was opened for one part of a list makes no frames before that part's first packet.
            let first = track.stream.timeBase.rescale(bridge.firstTime, to: lead.stream.timeBase, rounding: .up)
            let isFirst = cut.index == 0 || track.format != 0 && cut.start.time <= first
            start = isFirst ? bridge.firstSample : track.edge(at: cut.start.time, cutBy: lead)
            let edge = cut.end?.time ?? cut.settled.map { $0 &+ PartFront.reach.ticks(in: lead.stream.timeBase) }
            end = edge.map { track.edge(at: $0, cutBy: lead) }
            let last = end ?? start + bridge.frameLength
            endTime = track.track.timeBase.rescale(last, to: track.stream.timeBase, rounding: .up) &+ track.origin
            startPosition = cut.start.position
            let bounds = bridge.packetWindow(from: start, to: last)
            packets = cut.index == 0 ? .min..<bounds.upperBound : bounds
            next = bridge.packetWindow(from: last, to: last + bridge.frameLength).lowerBound
        }
    }
}
