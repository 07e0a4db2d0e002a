// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Collects the packets of one segment, and reports when it is complete and whether reading began early enough.
///
/// A collector for each track decides which packets the segment gets. Packets of the next segment that were read along
/// the way are kept, in order, for the read that follows. Pure: the demuxer feeds it.
struct SegmentCollector {
    enum Progress: Hashable {
        case more
        case complete
        /// Reading began too late: the keyframe at the start was not found, or audio before the first packet seen may
        /// belong to the segment.
        case enteredTooLate
    }

    /// The consequences of a packet of one track for the segment.
    struct Step: Hashable {
        static let nothing = Step()
        static let tooLate = Step(isTooLate: true)
        static let forNext = Step(isForNext: true)

        /// Reading began after the first packet that the segment needs.
        var isTooLate = false
        /// The next segment needs the packet too, or instead.
        var isForNext = false
        /// The segment needs no more packets of the track.
        var isComplete = false
    }

    /// At most this many bytes after the segment are kept while waiting for audio.
    private static let patienceBytes = 64 << 20

    private let index: Int
    private let tracks: [PlayedTrack]
    private let windows: [TrackWindow]
    /// Positions in `tracks` by stream index, for the tracks that are collected.
    private let places: [Int: Int]
    /// Whether reading began at the start of the source or continues where the previous segment ended.
    private let isContiguous: Bool
    /// Video this far past the end without audio means that the audio has a gap.
    private let patience: MediaTime

    /// Of the leading track, if that is video and collected.
    private var video: PictureCollector?
    private var companion: CompanionCollector?
    /// Per track; `nil` for other kinds of tracks and those that are not collected.
    private var audio: [RemuxedAudioCollector?]
    private var bridged: [AudioCollector?]
    private var isPartComplete: [Bool]
    /// Packets of the collected tracks that the next segment needs.
    private var carry: [Packet] = []

    init(
        cut: SegmentCut,
        tracks: [PlayedTrack],
        active: Set<Int>,
        isContiguous: Bool,
        stopsAtPicture: Bool = false,
        interleaving: Interleaving = .stored
    ) {
        let isContiguous = isContiguous || cut.index == 0
        let windows = tracks.indices.map { TrackWindow($0, of: tracks, in: cut) }
        let wanted = tracks.indices.filter { active.contains($0) }
        index = cut.index
        patience = interleaving.gap
        self.tracks = tracks
        self.windows = windows
        self.isContiguous = isContiguous
        places = Dictionary(uniqueKeysWithValues: wanted.map { (tracks[$0].stream.index, $0) })
        companion = tracks[0].companion.map { CompanionCollector(stream: $0, of: tracks[0], cut: cut) }
        audio = tracks.map { _ in nil }
        bridged = tracks.map { _ in nil }
        isPartComplete = tracks.indices.map { !active.contains($0) }
        for place in wanted {
            let (track, window) = (tracks[place], windows[place])
            if track.kind == .video {
                video = PictureCollector(
                    cut,
                    track,
                    window,
                    isContiguous: isContiguous,
                    stopsAtPicture: stopsAtPicture
                )
                continue
            }
            isPartComplete[place] = window.isBeyondTrack
            bridged[place] = AudioCollector(cut, track, lead: tracks[0])
            guard bridged[place] == nil else { continue }
            audio[place] = RemuxedAudioCollector(
                cut,
                track,
                window,
                isLead: place == 0,
                isContiguous: isContiguous
            )
        }
    }

    mutating func add(_ packet: Packet) -> Progress {
        let progress = sort(packet)
        return progress == .complete && lacksCompanion ? .enteredTooLate : progress
    }

    /// Whether the metadata of the first picture may have been missed. It may precede the picture in the file.
    private var lacksCompanion: Bool { !isContiguous && !(companion?.hasStarted ?? true) }

    private mutating func sort(_ packet: Packet) -> Progress {
        if packet.streamIndex == tracks[0].companion?.index {
            companion?.add(packet)
            return progress()
        }
        guard let place = places[packet.streamIndex] else { return .more }
        let step = step(packet, place)
        if step.isTooLate { return .enteredTooLate }
        if step.isForNext { carry.append(packet) }
        if step.isComplete { isPartComplete[place] = true }
        return step.isForNext || step.isComplete ? progress() : .more
    }

    private mutating func step(_ packet: Packet, _ place: Int) -> Step {
        if tracks[place].kind == .video { return video?.add(packet) ?? .nothing }
        if let step = audio[place]?.add(packet) { return step }
        return bridged[place]?.add(packet, isContiguous: isContiguous, end: windows[place].trackEnd) ?? .nothing
    }

    /// Ends the segment at the end of the source.
    mutating func finish() -> Progress {
        guard hasLeadStarted else { return .enteredTooLate }
        video?.finish()
        return lacksCompanion ? .enteredTooLate : .complete
    }

    /// False while the leading track is searched for the start of the segment. Audio with times needs no start.
    private var hasLeadStarted: Bool {
        if let video { return video.hasStarted }
        guard tracks[0].timing == .counted else { return true }
        return audio[0]?.hasStarted ?? bridged[0]?.hasStarted ?? true
    }

    func material() -> SegmentMaterial {
        var parts = tracks.indices.map { place in
            audio[place]?.part
                ?? bridged[place].map {
                    SegmentMaterial.Part(start: max(0, windows[place].start), bridgeJob: $0.job)
                }
        }
        if let video { parts[0] = video.part }
        if let companion { parts[0]?.companions = companion.found() }
        return SegmentMaterial(index: index, parts: parts)
    }

    /// Packets that were read and that the next segment needs, in the order of each track.
    var leftover: [Packet] { (companion?.carry ?? []) + (video?.nextLeadIn ?? []) + carry }

    private func progress() -> Progress {
        if !isPartComplete.contains(false), companion?.hasEnded != false { return .complete }
        // Audio that does not arrive while video continues has a gap or has ended. The same applies to metadata in a
        // second video track.
        guard isPartComplete[0], let end = windows[0].end, let latest = video?.past.latest,
            let byteCount = video?.past.byteCount
        else { return .more }
        let limit = end + patience.ticks(in: tracks[0].track.timeBase)
        let bytes = byteCount + (companion?.carriedBytes ?? 0)
        return latest > limit || bytes > Self.patienceBytes ? .complete : .more
    }
}
