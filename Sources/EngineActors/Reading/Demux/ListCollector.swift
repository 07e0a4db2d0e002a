// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects the packets of one segment of a list.
///
/// A served segment has the packets of the source's segment, because the times in a playlist are too inexact to cut by.
/// If segments do not begin with keyframes, video is cut at the first keyframe of each. Bridged audio, whose frames are
/// not those of the source, is cut by time, where the audio of the next segment begins; it needs packets from the
/// segments on both sides. Pure: the demuxer feeds it.
struct ListCollector {
    /// The audio of a bridged track, before and after its range in this segment is known.
    private enum BridgedAudioState {
        /// No packet of the next segment has been read, so the range is not known. `start` is the first time in this
        /// segment.
        case waiting([Packet], start: Int64?)
        case cut(AudioCollector, isTooLate: Bool, isComplete: Bool)
    }

    private let cut: SegmentCut
    private let tracks: [PlayedTrack]
    /// Positions in `tracks` by stream index.
    private let places: [Int: Int]
    /// Whether reading began at the start of the source.
    private let isContiguous: Bool
    private let stopsAtPicture: Bool
    /// Whether each segment begins with a keyframe. If not, the pictures before a segment's first keyframe belong to
    /// the previous segment.
    private let isAligned: Bool
    /// Whether the first keyframe of a later segment was read.
    private var hasPassedEnd = false
    private var parts: [SegmentMaterial.Part?]
    private var pictures: [Packet] = []
    private var leadIn = LeadIn()
    /// By position in `tracks`.
    private var bridged: [Int: BridgedAudioState] = [:]

    /// - Parameter active: positions in `tracks` to collect.
    init(
        cut: SegmentCut,
        tracks: [PlayedTrack],
        active: Set<Int>,
        isContiguous: Bool,
        stopsAtPicture: Bool = false,
        isAligned: Bool = true
    ) {
        self.isAligned = isAligned
        self.cut = cut
        self.tracks = tracks
        self.isContiguous = isContiguous
        self.stopsAtPicture = stopsAtPicture
        let wanted = tracks.indices.filter { active.contains($0) }
        places = Dictionary(uniqueKeysWithValues: wanted.map { (tracks[$0].stream.index, $0) })
        parts = tracks.indices.map { active.contains($0) ? SegmentMaterial.Part() : nil }
        for place in wanted {
            parts[place]?.start = cut.index == 0 ? 0 : max(0, tracks[place].edge(at: cut.start.time, cutBy: tracks[0]))
            if tracks[place].bridge != nil { bridged[place] = .waiting([], start: nil) }
        }
    }

    /// - Returns: whether nothing more is needed.
    mutating func add(_ packet: Packet) -> Bool {
        guard let place = places[packet.streamIndex], let position = packet.position else { return false }
        let segment = ListPlace(position: position).segment
        if bridged[place] != nil {
            addAudio(packet, of: place, isInSegment: segment == cut.index, isPastEnd: segment > cut.index)
            return segment > cut.index && isComplete
        }
        if tracks[place].kind == .video { return addVideo(packet, of: segment) }
        if segment == cut.index, let time = packet.pts ?? packet.dts {
            parts[place]?.packets.append(TimedPacket(packet: packet, time: tracks[place].timelineTicks(time)))
        }
        return false
    }

    private mutating func addVideo(_ packet: Packet, of segment: Int) -> Bool {
        guard packet.format == tracks[0].format else {
            // Video of another codec, before or after the segment.
            if segment > cut.index { hasPassedEnd = true }
            return hasPassedEnd && isComplete
        }
        if segment < cut.index, tracks[0].videoBridge != nil { leadIn.add(packet, isBoundary: false) }
        guard isAligned else {
            if segment > cut.index, packet.isKey { hasPassedEnd = true }
            if hasPassedEnd { return isComplete }
            // No segment precedes the first one, which therefore keeps its pictures before a keyframe.
            if pictures.isEmpty, !packet.isKey, cut.index > 0 || segment > cut.index { return false }
            if segment >= cut.index { pictures.append(packet) }
            return stopsAtPicture && hasWholePicture
        }
        guard segment == cut.index else { return false }
        pictures.append(packet)
        return stopsAtPicture && hasWholePicture
    }

    /// Whether the first picture and the packet after it have been read, and all packets so far state a PTS.
    private var hasWholePicture: Bool {
        guard pictures.count > 1, let last = pictures.last, !tracks[0].transform.isRest(last) else { return false }
        return pictures.allSatisfy { $0.pts != nil }
    }

    private var isComplete: Bool {
        (isAligned || hasPassedEnd)
            && bridged.values.allSatisfy { if case .cut(_, _, true) = $0 { true } else { false } }
    }

    // MARK: Bridged audio

    private mutating func addAudio(_ packet: Packet, of place: Int, isInSegment: Bool, isPastEnd: Bool) {
        // Remove the state from the dictionary first, so that adding a packet does not copy the others.
        switch bridged.removeValue(forKey: place) {
        case .waiting(var packets, var start):
            let time = packet.pts ?? packet.dts
            if isInSegment, start == nil { start = time }
            packets.append(packet)
            bridged[place] = .waiting(packets, start: start)
            if isPastEnd, let time { beginCut(of: place, end: time) }
        case .cut(var collector, let isTooLate, let isComplete):
            let step = collector.add(packet, isContiguous: isContiguous, end: nil)
            bridged[place] = .cut(
                collector,
                isTooLate: isTooLate || step.isTooLate,
                isComplete: isComplete || step.isComplete
            )
        case nil: break
        }
    }

    /// - Parameter end: where the track's audio begins in the next segment, in ticks of the stream; `nil` if the track
    ///   has no audio there.
    private mutating func beginCut(of place: Int, end: Int64?) {
        guard case .waiting(let packets, let start) = bridged[place] else { return }
        let (own, lead) = (tracks[place].stream.timeBase, tracks[0].stream.timeBase)
        let exact = cut.moved(
            start: start.map { own.rescale($0, to: lead) },
            end: end.map { own.rescale($0, to: lead) }
        )
        guard var collector = AudioCollector(exact, tracks[place], lead: tracks[0]) else { return }
        var (isTooLate, isComplete) = (false, false)
        for packet in packets {
            let step = collector.add(packet, isContiguous: isContiguous, end: nil)
            isTooLate = isTooLate || step.isTooLate
            isComplete = isComplete || step.isComplete
        }
        bridged[place] = .cut(collector, isTooLate: isTooLate, isComplete: isComplete)
    }

    // MARK: The result

    /// Makes the parts of the segment count from its first picture.
    private mutating func delayParts() {
        guard let first = parts[0]?.packets.first else { return }
        let delay = first.time - tracks[0].timelineTicks(cut.start.time)
        for place in parts.indices where parts[place] != nil {
            parts[place]?.delayOfParts = tracks[0].track.timeBase.rescale(delay, to: tracks[place].track.timeBase)
        }
    }

    /// The segment, once everything is read. `nil` if reading began too late for a bridged track.
    mutating func finish() -> SegmentMaterial? {
        for place in bridged.keys {
            if case .waiting = bridged[place] { beginCut(of: place, end: nil) }
            guard case .cut(let collector, let isTooLate, _) = bridged[place] else { continue }
            if isTooLate { return nil }
            parts[place]?.bridgeJob = collector.job
        }
        if tracks[0].kind == .video, parts[0] != nil {
            parts[0]?.packets = FrameTimes.whole(pictures, of: tracks[0], startingAt: cut.start, endingAt: cut.end)
            parts[0]?.leadIn = leadIn.packets
            delayParts()
        }
        return SegmentMaterial(index: cut.index, parts: parts)
    }
}
