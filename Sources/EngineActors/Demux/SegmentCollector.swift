// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Sorts packets into one segment, and says when it is complete and whether reading began early enough.
///
/// Video: from the keyframe at the cut's start, in decode order, up to the keyframe at its end. Audio: every frame that
/// starts between the two. Packets of the next segment that came along are kept, in order, for whoever continues.
/// No C, no waiting: the demuxer feeds it.
struct SegmentCollector {
    enum Progress: Hashable {
        case more
        case complete
        /// The keyframe at the start did not come, or audio before the first packet seen may belong to the segment.
        case enteredTooLate
    }

    /// Video this far past the end without audio means that the audio has a gap. Muxers hold sound back for up to ten
    /// seconds.
    private static let patience = MediaTime.seconds(12)
    /// No more than this is kept of what follows the segment while sound is waited for.
    private static let patienceBytes = 64 << 20
    /// Pictures past a keyframe among which those presented before it are looked for.
    private static let reorderWindow = 32

    private let tracks: [ServedTrack]
    private let active: Set<Int>
    private let cut: SegmentCut
    /// By stream index.
    private let places: [Int: Int]
    /// Per track, the first and one past the last tick; `nil` without an end.
    private let windows: [(start: Int64, end: Int64?)]
    /// Reading began at the start of the source or continues where the segment before ended.
    private let isContiguous: Bool
    /// Whether the first picture is all that is wanted, where it can be told without the others when it is shown.
    private let stopsAtPicture: Bool

    private var parts: [SegmentMaterial.Part?]
    private var isPartComplete: [Bool]
    private var hasSeen: [Bool]
    private var hasStarted = false
    private var pictures: [Packet] = []
    private var picturesPastEnd = 0
    private var latestVideo = Int64.min
    private var carriedBytes = 0
    /// Where each track ends, in its ticks, where that is known.
    private let ends: [Int64?]
    private var companion: CompanionCollector?
    private var sounds: [SoundCollector?]
    /// Packets of the tracks that belong to later segments.
    private var carry: [Packet] = []

    init(
        cut: SegmentCut,
        tracks: [ServedTrack],
        active: Set<Int>,
        isContiguous: Bool,
        stopsAtPicture: Bool = false
    ) {
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
        sounds = tracks.indices.map { active.contains($0) ? SoundCollector(cut, tracks[$0], lead: tracks[0]) : nil }
        for place in parts.indices { parts[place]?.start = max(0, windows[place].start) }
        for place in parts.indices where tracks[place].kind == .audio && cut.end != nil {
            if let end = ends[place], end <= windows[place].start { isPartComplete[place] = true }
        }
    }

    mutating func add(_ packet: Packet) -> Progress {
        let progress = sort(packet)
        return progress == .complete && lacksCompanion ? .enteredTooLate : progress
    }

    /// Metadata of the first picture may lie before it in the file.
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
        guard hasStarted || tracks[0].kind == .audio && tracks[0].timing != .counted else { return .enteredTooLate }
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

    /// What came along of later segments, in the order of its track.
    var leftover: [Packet] { (companion?.carry ?? []) + carry }

    // MARK: Video

    private mutating func addVideo(_ packet: Packet, _ place: Int) -> Progress {
        let track = tracks[place]
        if !hasStarted {
            switch position(of: packet, relativeTo: cut.start, track) {
            case .before: return .more
            case .past: return .enteredTooLate
            case .at: hasStarted = true
            }
        } else if let end = cut.end, !isPartComplete[place] || picturesPastEnd > 0, picturesPastEnd == 0,
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

    /// Whether the first picture is there, with the packet behind it.
    private func hasWholePicture(_ track: ServedTrack) -> Bool {
        guard pictures.count > 1, let last = pictures.last, !track.transform.isRest(last) else { return false }
        return pictures.allSatisfy { $0.pts != nil }
    }

    private enum Place { case before, at, past }

    private func position(of packet: Packet, relativeTo keyframe: Keyframe, _ track: ServedTrack) -> Place {
        switch track.timing {
        case .counted:
            guard let position = packet.position else { return .before }
            return position == keyframe.position ? .at : position < keyframe.position ? .before : .past
        case .decodeOrder, .presentation:
            guard let time = track.timing == .presentation ? packet.pts ?? packet.dts : packet.dts ?? packet.pts
            else { return .before }
            // The time decides: the plan has judged what is a keyframe, and both sides of a cut must agree. Where a scan
            // has found it, another picture may have its time: one that was left over before a change.
            if time == keyframe.time, packet.isKey || !cut.trustsKeyFlags { return .at }
            return packet.isKey && time > keyframe.time ? .past : .before
        }
    }

    private mutating func noteVideo(_ packet: Packet, _ track: ServedTrack) {
        carriedBytes += packet.byteCount
        guard let time = packet.pts ?? packet.dts else { return }
        latestVideo = max(latestVideo, track.timelineTicks(time))
    }

    /// Pictures presented before the next keyframe follow it in decode order; the earliest of them is where this segment
    /// ends. They are all known once a picture presented after the keyframe has come.
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
        let timed = timedPictures()
        parts[0]?.packets = timed
        parts[0]?.next = next ?? (cut.end == nil ? nil : windows[0].end)
        pictures = []
    }

    /// The pictures with their times. What is only the rest of a picture has that picture's time.
    private func timedPictures() -> [TimedPacket] {
        let isRest = pictures.map { tracks[0].transform.isRest($0) }
        let whole = zip(pictures, isRest).filter { !$0.1 }.map(\.0)
        var times = PictureTimes.assign(to: whole, of: tracks[0], startingAt: cut.start)[...]
        guard whole.count < pictures.count, times.count == whole.count else { return Array(times) }
        var timed: [TimedPacket] = []
        for (packet, isRest) in zip(pictures, isRest) {
            if !isRest, let next = times.popFirst() {
                timed.append(next)
            } else if let last = timed.last {
                timed.append(TimedPacket(packet: packet, time: last.time))
            }
        }
        return timed
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
        // A track that has ended is not waited for.
        guard cut.end != nil, let end = ends[place], track.end(ofPacketAt: source, lasting: packet.duration) >= end
        else { return .more }
        isPartComplete[place] = true
        return progress()
    }

    /// Packets of a track that is encoded anew: more of them than the segment is long.
    private mutating func addSound(_ packet: Packet, _ place: Int) -> Progress {
        guard let step = sounds[place]?.add(packet, isContiguous: isContiguous, end: ends[place]) else { return .more }
        if step.isTooLate { return .enteredTooLate }
        if place == 0 { hasStarted = true }
        if step.isForNext { carry.append(packet) }
        if step.isComplete { isPartComplete[place] = true }
        return step.isComplete ? progress() : .more
    }

    /// Frames of an elementary stream: the boundary is a place in the file, times are counted from it.
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
        // Audio that does not come while video runs on has a gap or has ended, and so has a second track.
        guard let end = windows[0].end, tracks[0].kind == .video, active.contains(0) else { return .more }
        let limit = end + Self.patience.ticks(in: tracks[0].track.timeBase)
        let bytes = carriedBytes + (companion?.carriedBytes ?? 0)
        return isPartComplete[0] && (latestVideo > limit || bytes > Self.patienceBytes) ? .complete : .more
    }
}
