// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects the packets for one segment of a track that is remuxed: every frame that starts in the segment.
struct RemuxedAudioCollector {
    private let cut: SegmentCut
    private let track: PlayedTrack
    private let window: TrackWindow
    /// As in `SegmentCollector`.
    private let isContiguous: Bool
    /// `nil` if packets state their times.
    private var counter: FrameCounter?
    /// Whether a usable packet has been read: one with a time, or the frame at the boundary if frames are counted.
    private(set) var hasStarted = false
    private(set) var isComplete: Bool
    private(set) var part: SegmentMaterial.Part

    /// - Parameter isLead: whether the track is the leading one, whose frames may have to be counted.
    init(_ cut: SegmentCut, _ track: PlayedTrack, _ window: TrackWindow, isLead: Bool, isContiguous: Bool) {
        self.cut = cut
        self.track = track
        self.window = window
        self.isContiguous = isContiguous
        isComplete = window.isBeyondTrack
        part = SegmentMaterial.Part(start: max(0, window.start))
        guard isLead, track.timing == .counted else { return }
        counter = FrameCounter(from: cut.start, duration: track.nominalDuration)
    }

    mutating func add(_ packet: Packet) -> SegmentCollector.Step {
        if counter != nil { return addCounted(packet) }
        // Decoders need what an edit list hides only before the first frame that is heard.
        if packet.isDiscarded, cut.previous != nil || part.packets.contains(where: { !$0.packet.isDiscarded }) {
            return .nothing
        }
        guard let source = packet.pts ?? packet.dts else { return .nothing }
        let time = track.timelineTicks(source)
        if !hasStarted {
            hasStarted = true
            let length =
                track.grid.frameLength
                ?? max(1, track.stream.timeBase.rescale(packet.duration, to: track.track.timeBase))
            if !isContiguous, time - length >= window.start { return .tooLate }
        }
        if let end = window.end, time >= end {
            if !isComplete { part.next = time }
            isComplete = true
            return SegmentCollector.Step(isForNext: true, isComplete: true)
        }
        guard time >= window.start, !isComplete else { return .nothing }
        part.packets.append(TimedPacket(packet: packet, time: time))
        if let settled = window.settled, time >= settled {
            isComplete = true
            return SegmentCollector.Step(isComplete: true)
        }
        // Do not wait for a track that has ended.
        guard window.end != nil, let end = window.trackEnd,
            track.end(ofPacketAt: source, lasting: packet.duration) >= end
        else { return .nothing }
        isComplete = true
        return SegmentCollector.Step(isComplete: true)
    }

    /// Takes a frame of an elementary stream. The boundary is a byte position in the file.
    private mutating func addCounted(_ packet: Packet) -> SegmentCollector.Step {
        guard let position = packet.position else { return .nothing }
        if hasStarted, let end = cut.end, position >= end.position {
            part.next = window.end
            isComplete = true
            return SegmentCollector.Step(isForNext: true, isComplete: true)
        }
        switch counter?.note(position) {
        case nil, .early: return .nothing
        case .late: return .tooLate
        case .at(let time):
            hasStarted = true
            part.packets.append(TimedPacket(packet: packet, time: track.timelineTicks(time)))
            return .nothing
        }
    }
}
