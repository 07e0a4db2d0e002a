// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Sorts packets into one segment, and reports when it is complete and whether reading began early enough.
///
/// Video: from the keyframe at the cut's start, in decode order, up to the keyframe at its end. Audio: every frame that
/// starts between the two. Packets of the next segment that were read along the way are kept, in order, for the read
/// that follows. Pure: the demuxer feeds it.
struct SegmentCollector {
    enum Progress: Hashable {
        case more
        case complete
        /// Reading began too late: the keyframe at the start was not found, or audio before the first packet seen may
        /// belong to the segment.
        case enteredTooLate
    }

    /// At most this many bytes after the segment are kept while waiting for audio.
    private static let patienceBytes = 64 << 20
    /// How many pictures after a keyframe are searched for those presented before it.
    private static let reorderWindow = 32

    private let tracks: [PlayedTrack]
    private let active: Set<Int>
    private let cut: SegmentCut
    /// Positions in `tracks` by stream index.
    private let places: [Int: Int]
    /// Per track, the first tick and the tick after the last; `nil` when there is no end.
    private let windows: [(start: Int64, end: Int64?)]
    /// Whether reading began at the start of the source or continues where the previous segment ended.
    private let isContiguous: Bool
    /// Video this far past the end without audio means that the audio has a gap.
    private let patience: MediaTime
    /// Whether only the first picture is wanted. False if its presentation time depends on other pictures or if it has
    /// a companion.
    private let stopsAtPicture: Bool

    private var parts: [SegmentMaterial.Part?]
    private var isPartComplete: [Bool]
    private var hasSeen: [Bool]
    private var hasStarted = false
    private var pictures: [Packet] = []
    private var leadIn = LeadIn()
    /// The pictures of this segment that the next segment needs, if the video is bridged.
    private var nextLeadIn: [Packet] = []
    private var picturesPastEnd = 0
    private var latestVideo = Int64.min
    private var carriedBytes = 0
    /// Where each track ends, in its own ticks, if known.
    private let ends: [Int64?]
    private var companion: CompanionCollector?
    private var sounds: [AudioCollector?]
    /// Packets of the tracks that belong to later segments.
    private var carry: [Packet] = []

    init(
        cut: SegmentCut,
        tracks: [PlayedTrack],
        active: Set<Int>,
        isContiguous: Bool,
        stopsAtPicture: Bool = false,
        interleaving: Interleaving = .stored
    ) {
        patience = interleaving.gap
        self.stopsAtPicture = stopsAtPicture && tracks[0].timing == .presentation && tracks[0].companion == nil
        ends = tracks.indices.map { cut.trackEnds[$0]?.ticks(in: tracks[$0].track.timeBase) }
        self.cut = cut
        self.tracks = tracks
        self.active = active
        self.isContiguous = isContiguous || cut.index == 0
        places = Dictionary(uniqueKeysWithValues: tracks.indices.map { (tracks[$0].stream.index, $0) })
        parts = tracks.indices.map { active.contains($0) ? SegmentMaterial.Part() : nil }
        isPartComplete = tracks.indices.map { !active.contains($0) }
        hasSeen = tracks.indices.map { _ in false }
        let leadBase = tracks[0].stream.timeBase
        windows = tracks.indices.map { index in
            let track = tracks[index]
            func edge(_ keyframe: Keyframe) -> Int64 {
                if track.bridge != nil { return track.edge(at: keyframe.time, cutBy: tracks[0]) }
                if index == 0 { return track.timelineTicks(keyframe.time) }
                return leadBase.rescale(keyframe.time &- tracks[0].origin, to: track.track.timeBase, rounding: .up)
            }
            return (cut.index == 0 ? .min : edge(cut.start), cut.end.map(edge))
        }
        companion = tracks[0].companion.map { CompanionCollector(stream: $0, of: tracks[0], cut: cut) }
        sounds = tracks.indices.map { active.contains($0) ? AudioCollector(cut, tracks[$0], lead: tracks[0]) : nil }
        for place in parts.indices { parts[place]?.start = max(0, windows[place].start) }
        for place in parts.indices where tracks[place].kind == .audio && cut.end != nil {
            if let end = ends[place], end <= windows[place].start { isPartComplete[place] = true }
        }
    }

    mutating func add(_ packet: Packet) -> Progress {
        let progress = sort(packet)
        return progress == .complete && lacksCompanion ? .enteredTooLate : progress
    }

    /// Whether the metadata of the first picture may have been missed. It may precede the picture in the file.
    private var lacksCompanion: Bool { !isContiguous && companion?.hasStarted == false }

    private mutating func sort(_ packet: Packet) -> Progress {
        if packet.streamIndex == tracks[0].companion?.index {
            companion?.add(packet)
            return progress()
        }
        guard let place = places[packet.streamIndex], active.contains(place) else { return .more }
        if tracks[place].kind == .video { return addVideo(packet, place) }
        if tracks[place].bridge != nil { return addSound(packet, place) }
        if place == 0, tracks[0].timing == .counted { return addCounted(packet) }
        return addAudio(packet, place)
    }

    /// Ends the segment at the end of the source.
    mutating func finish() -> Progress {
        guard hasStarted || !active.contains(0) || tracks[0].kind == .audio && tracks[0].timing != .counted else {
            return .enteredTooLate
        }
        closeVideo(next: nil)
        return lacksCompanion ? .enteredTooLate : .complete
    }

    func material() -> SegmentMaterial {
        var parts = parts
        if tracks[0].kind == .video {
            parts[0]?.following = carry.first { $0.streamIndex == tracks[0].stream.index }
        }
        if let companion { parts[0]?.companions = companion.found() }
        for place in parts.indices { parts[place]?.sound = sounds[place]?.job }
        return SegmentMaterial(index: cut.index, parts: parts)
    }

    /// Packets of later segments that were read along the way, in the order of each track.
    var leftover: [Packet] { (companion?.carry ?? []) + nextLeadIn + carry }

    // MARK: Video

    private mutating func addVideo(_ packet: Packet, _ place: Int) -> Progress {
        let track = tracks[place]
        if !hasStarted {
            switch position(of: packet, relativeTo: cut.start, track) {
            case .before:
                noteLeadIn(packet, track)
                return .more
            case .past: return .enteredTooLate
            case .at:
                if track.videoBridge != nil, leadIn.packets.isEmpty, cut.index > 0, !isContiguous {
                    return .enteredTooLate
                }
                hasStarted = true
            }
        } else if let end = cut.end, !isPartComplete[place], picturesPastEnd == 0,
            case .at = position(of: packet, relativeTo: end, track)
        {
            picturesPastEnd = 1
            carry.append(packet)
            noteVideo(packet, track)
            return progress()
        }
        guard picturesPastEnd == 0 else {
            picturesPastEnd += 1
            carry.append(packet)
            noteVideo(packet, track)
            if !isPartComplete[place] { closeVideoWhenOrderIsKnown(place) }
            return progress()
        }
        pictures.append(packet)
        guard stopsAtPicture, hasWholePicture(track) else { return .more }
        closeVideo(next: nil)
        return .complete
    }

    /// Whether the first picture and the packet after it have been read.
    private func hasWholePicture(_ track: PlayedTrack) -> Bool {
        guard pictures.count > 1, let last = pictures.last, !track.transform.isRest(last) else { return false }
        return pictures.allSatisfy { $0.pts != nil }
    }

    private mutating func noteLeadIn(_ packet: Packet, _ track: PlayedTrack) {
        guard track.videoBridge != nil else { return }
        let isBoundary = cut.previous.map { position(of: packet, relativeTo: $0, track) == .at } ?? false
        leadIn.add(packet, isBoundary: isBoundary)
    }

    private enum Place { case before, at, past }

    private func position(of packet: Packet, relativeTo keyframe: Keyframe, _ track: PlayedTrack) -> Place {
        switch track.timing {
        case .counted:
            guard let position = packet.position else { return .before }
            return position == keyframe.position ? .at : position < keyframe.position ? .before : .past
        case .decodeOrder, .presentation:
            guard let time = track.timing == .presentation ? packet.pts ?? packet.dts : packet.dts ?? packet.pts
            else { return .before }
            // The time decides: the plan has already determined which packets are keyframes, and both sides of a cut
            // must agree. In a plan that does not come from an index, the key flag counts too: a picture left over from
            // before a change may have the same time.
            if time == keyframe.time, packet.isKey || !cut.trustsKeyFlags { return .at }
            return packet.isKey && time > keyframe.time ? .past : .before
        }
    }

    private mutating func noteVideo(_ packet: Packet, _ track: PlayedTrack) {
        carriedBytes += packet.byteCount
        guard let time = packet.pts ?? packet.dts else { return }
        latestVideo = max(latestVideo, track.timelineTicks(time))
    }

    /// Pictures presented before the next keyframe may follow it in decode order, and this segment ends at the earliest
    /// of them. All of them are known once a picture presented after the keyframe has been read.
    private mutating func closeVideoWhenOrderIsKnown(_ place: Int) {
        let track = tracks[place]
        guard track.timing == .presentation, let end = cut.end else { return closeVideo(next: windows[place].end) }
        let following = carry.filter { $0.streamIndex == track.stream.index }
        let times = following.compactMap(\.pts)
        guard times.contains(where: { $0 > end.time }) || following.count >= Self.reorderWindow else { return }
        closeVideo(next: times.min().map { track.timelineTicks(min($0, end.time)) })
    }

    private mutating func closeVideo(next: Int64?) {
        guard tracks[0].kind == .video, active.contains(0), !isPartComplete[0] else { return }
        isPartComplete[0] = true
        parts[0]?.packets = FrameTimes.whole(pictures, of: tracks[0], startingAt: cut.start, endingAt: cut.end)
        parts[0]?.next = next ?? (cut.end == nil ? nil : windows[0].end)
        if let bridge = tracks[0].videoBridge, bridge.spacesEvenly {
            parts[0]?.next = cut.end.map { tracks[0].timelineTicks($0.time &+ bridge.presentationDelay) }
        }
        parts[0]?.leadIn = leadIn.packets
        if tracks[0].videoBridge != nil, !pictures.isEmpty { nextLeadIn = LeadIn.after(pictures) }
        pictures = []
    }

    // MARK: Audio

    private mutating func addAudio(_ packet: Packet, _ place: Int) -> Progress {
        let track = tracks[place]
        guard let source = packet.pts ?? packet.dts else { return .more }
        let time = track.timelineTicks(source)
        if !hasSeen[place] {
            hasSeen[place] = true
            let length =
                track.grid.frameLength
                ?? max(1, track.stream.timeBase.rescale(packet.duration, to: track.track.timeBase))
            if !isContiguous, time - length >= windows[place].start { return .enteredTooLate }
        }
        if let end = windows[place].end, time >= end {
            carry.append(packet)
            if !isPartComplete[place] {
                isPartComplete[place] = true
                parts[place]?.next = time
            }
            return progress()
        }
        guard time >= windows[place].start, !isPartComplete[place] else { return .more }
        parts[place]?.packets.append(TimedPacket(packet: packet, time: time))
        // Do not wait for a track that has ended.
        guard cut.end != nil, let end = ends[place], track.end(ofPacketAt: source, lasting: packet.duration) >= end
        else { return .more }
        isPartComplete[place] = true
        return progress()
    }

    /// Takes a packet of a re-encoded track. Such a track needs packets from beyond both ends of the segment.
    private mutating func addSound(_ packet: Packet, _ place: Int) -> Progress {
        guard let step = sounds[place]?.add(packet, isContiguous: isContiguous, end: ends[place]) else { return .more }
        if step.isTooLate { return .enteredTooLate }
        if place == 0 { hasStarted = true }
        if step.isForNext { carry.append(packet) }
        if step.isComplete { isPartComplete[place] = true }
        return step.isComplete ? progress() : .more
    }

    /// Takes a frame of an elementary stream. The boundary is a byte position in the file; times are counted from
    /// there.
    private mutating func addCounted(_ packet: Packet) -> Progress {
        let track = tracks[0]
        guard let position = packet.position else { return .more }
        if !hasStarted {
            guard position >= cut.start.position else { return .more }
            guard position == cut.start.position else { return .enteredTooLate }
            hasStarted = true
        }
        if let end = cut.end, position >= end.position {
            carry.append(packet)
            isPartComplete[0] = true
            parts[0]?.next = windows[0].end
            return progress()
        }
        let count = Int64(parts[0]?.packets.count ?? 0)
        let time = track.timelineTicks(cut.start.time &+ count &* track.nominalDuration)
        parts[0]?.packets.append(TimedPacket(packet: packet, time: time))
        return .more
    }

    private mutating func progress() -> Progress {
        if !isPartComplete.contains(false), companion?.hasEnded != false { return .complete }
        // Audio that does not arrive while video continues has a gap or has ended. The same applies to metadata in a
        // second video track.
        guard let end = windows[0].end, tracks[0].kind == .video, active.contains(0) else { return .more }
        let limit = end + patience.ticks(in: tracks[0].track.timeBase)
        let bytes = carriedBytes + (companion?.carriedBytes ?? 0)
        return isPartComplete[0] && (latestVideo > limit || bytes > Self.patienceBytes) ? .complete : .more
    }
}
