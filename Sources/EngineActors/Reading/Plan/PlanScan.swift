// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Finds the boundaries of a source from the packets of a walk over it. Pure: the scanner feeds it.
struct PlanScan {
    /// In a file whose clock jumps are followed, a boundary is announced at the latest when the scan is this far ahead
    /// of it. Reading a segment waits for audio up to 12 seconds past its end, and the clock of everything that is read
    /// until then must be final. A boundary is announced earlier if every track is `Interleaving.margin` ahead of it
    /// and all clock jumps so far are final.
    private static let lookahead = MediaTime.seconds(24)

    private let container: ContainerFormat
    private let interleaving: Interleaving
    private let earlier: EarlierSegments
    private var fronts: ScanFronts
    private let limits: SegmentPlanner.Limits
    private var planner: SegmentPlanner
    private var clock: DiscontinuityFinder
    private var watch: ConfigurationWatch
    private var changes: [ConfigurationChange] = []
    private var audioFormats: AudioFormatWatch
    private var refresh: RefreshWatch
    /// `nil` unless the source is a live stream with video.
    private var keyframes: KeyframeWatch?
    /// `nil` if segments have no parts.
    private var parts: PartFront?
    /// The number of boundaries that batches have announced. They stay announced when a jump follows that is not final.
    private var announcedCount = 0

    /// - Parameters:
    ///   - tracks: as in `OpenedSource`.
    ///   - announced: the number of segments of a live stream with video that an earlier process may have announced.
    ///     Indices and timeline continue after them.
    ///   - hasParts: whether segments are announced in parts (`OpenedSource.obstacleToParts`).
    init(
        of tracks: [PlayedTrack],
        in container: ContainerFormat,
        target: MediaTime,
        interleaving: Interleaving = .stored,
        after announced: Int = 0,
        hasParts: Bool = false
    ) {
        let lead = tracks[0]
        let base = lead.stream.timeBase
        let isWatching = DiscontinuityFinder.canWatch(lead, in: container, interleaving)
        self.interleaving = interleaving
        self.container = container
        fronts = ScanFronts(of: tracks, in: container)
        limits = SegmentPlanner.Limits(target: target, timeBase: base, joinsTail: !hasParts)
        planner = SegmentPlanner(limits: limits)
        clock = DiscontinuityFinder(.init(base, in: container, interleaving), isWatching: isWatching)
        refresh = RefreshWatch(lead: lead)
        watch = ConfigurationWatch(lead: lead, readsPayload: !container.hasFramedPackets)
        audioFormats = AudioFormatWatch(readsPayload: !container.hasFramedPackets)
        parts = hasParts ? PartFront(of: tracks) : nil
        guard interleaving == .live, lead.kind == .video, isWatching else {
            earlier = .none
            return
        }
        keyframes = KeyframeWatch(base, longestStep: interleaving.stepAhead.ticks(in: base))
        let length = max(1, target.ticks(in: base))
        earlier = EarlierSegments(announced, from: lead.origin, length: length)
        if announced > 0 { clock.begin(at: lead.origin, after: Int64(announced) &* length) }
    }

    private var lead: PlayedTrack { fronts.lead }

    /// - Parameters:
    ///   - offset: the read position, which replaces the position of a packet that states none.
    ///   - cluster: returns the position of the Matroska cluster that holds the leading stream's packet at a time, if
    ///     known.
    ///   - isGradual: returns whether a keyframe begins a gradual refresh. Called if packets have no payload.
    mutating func add(
        _ packet: Packet,
        offset: Int64,
        cluster: (Int64) -> Int64? = { _ in nil },
        isGradual: (Keyframe) -> Bool = { _ in false }
    ) {
        record(packet, offset: offset, cluster: cluster, isGradual: isGradual)
        guard parts != nil else { return }
        let (boundaries, settled) = (planner.boundaries, settledCount)
        let restarts = changes.last?.firstSegment == settled - 1 || clock.jumps.last?.firstSegment == settled - 1
        parts?.advance(
            to: fronts.decoded,
            lead: fronts.leadDecoded,
            inSegmentAt: settled > 0 && !restarts ? boundaries[settled - 1].time : nil,
            isEnding: settled < boundaries.count || planner.isEnding
        )
    }

    private mutating func record(
        _ packet: Packet,
        offset: Int64,
        cluster: (Int64) -> Int64?,
        isGradual: (Keyframe) -> Bool
    ) {
        guard let place = fronts.place(of: packet) else { return }
        // Media that an edit list hides is not on the timeline. At the start, decoding begins with it.
        if packet.isDiscarded, fronts.hasBegun(place) { return }
        guard let raw = fronts.time(of: packet, place) else { return }
        let position = fronts.position(of: packet, place, offset: offset)
        if keyframes?.note(packet.dts ?? raw, of: place, isKey: packet.isKey) == true { clock.suspend(at: position) }
        let finding = finding(packet, at: raw, position, place)
        let time: Int64
        switch finding {
        case .nowhere: return
        case .at(let found), .begins(let found): time = found
        }
        fronts.reach(time, with: packet, place)
        let isAudio = fronts.kind(place) == .audio
        if isAudio { audioFormats.note(packet, codec: fronts.codec(place)) }
        if place == 0, !packet.isDiscarded { planner.reach(time) }
        guard place == 0, packet.isKey || isAudio else { return }
        let seekTimestamp = container.isMP4 ? packet.dts ?? packet.pts ?? time : packet.pts ?? packet.dts ?? time
        let keyframe = Keyframe(
            time: time,
            seekTimestamp: seekTimestamp,
            position: (container.isMatroska ? cluster(seekTimestamp) : nil) ?? packet.position ?? offset
        )
        let (lead, hasPayload) = (lead, !container.hasFramedPackets)
        refresh.note {
            guard hasPayload else { return isGradual(keyframe) }
            return packet.withBytes {
                RandomAccess.isGradual(codec: lead.stream.codec, transform: lead.transform, prefix: $0)
            }
        }
        let data = watch.change(at: packet)
        if case .begins = finding, let segment = planner.cut(at: keyframe) {
            clock.open(firstSegment: segment)
            if let data { changes.append(ConfigurationChange(firstSegment: segment, privateData: data)) }
        } else if let data, let segment = planner.cut(at: keyframe) {
            changes.append(ConfigurationChange(firstSegment: segment, privateData: data))
        } else {
            dropHiddenStart(before: keyframe)
            planner.add(keyframe)
        }
    }

    /// Forgets the only keyframe so far if none of its pictures are presented.
    private mutating func dropHiddenStart(before keyframe: Keyframe) {
        guard planner.boundaries.count == 1, changes.isEmpty, let first = planner.boundaries.first,
            keyframe.time > first.time, lead.withoutHiddenStart([first, keyframe]) == [keyframe]
        else { return }
        planner = SegmentPlanner(limits: limits)
    }

    /// The number of times in a row that a live stream has lacked a keyframe for too long.
    var missedKeyframes: Int { keyframes?.misses ?? 0 }

    /// Whether playback can begin anywhere.
    var hasKeyframe: Bool { !planner.boundaries.isEmpty }

    /// Sets the positions at which the video is interrupted (`StreamReception.videoDiscontinuities`), in ascending order.
    mutating func setVideoDiscontinuities(_ positions: [Int64]) { clock.setVideoDiscontinuities(positions) }

    private mutating func finding(
        _ packet: Packet,
        at time: Int64,
        _ position: Int64,
        _ place: Int
    ) -> DiscontinuityFinder.Finding {
        let observation = DiscontinuityFinder.Observation(
            time: time,
            decodeTime: packet.dts ?? time,
            position: position,
            isKey: packet.isKey
        )
        if place == 0 { return clock.noteLead(observation, end: fronts.front) }
        return clock.note(observation, of: place, front: fronts.front ?? .min)
    }

    /// The boundaries that are far enough behind the scan to be announced.
    private var settledBoundaries: [Keyframe] { Array(planner.boundaries.prefix(settledCount)) }

    /// The number of settled boundaries, all of which are in the next batch.
    var settledCount: Int {
        let boundaries = planner.boundaries
        guard clock.isWatching, let front = fronts.front else { return boundaries.count }
        let latest = settledTime(front)
        // Searched from the end: a stream that has run for days has many.
        return max(announcedCount, boundaries.lastIndex { $0.time <= latest }.map { $0 + 1 } ?? 0)
    }

    /// The number of parts that may be announced of the segment after the settled ones.
    var partCount: Int { parts?.count ?? 0 }

    /// The time up to which boundaries can be announced, in ticks of the leading stream.
    ///
    /// - Parameter front: the time that the leading video has reached.
    private func settledTime(_ front: Int64) -> Int64 {
        let base = lead.stream.timeBase
        let margin = Interleaving.margin.ticks(in: base)
        if interleaving == .live {
            let latest = max(fronts.slowest, front &- interleaving.gap.ticks(in: base)) &- margin
            // The end of a segment whose parts are announced is announced as soon as the segment can be made, unless
            // the position of a clock jump may still change.
            guard let parts, clock.isCertain(at: front), fronts.decoded > .min else { return latest }
            return max(latest, min(fronts.slowest, fronts.decoded &- parts.boundaryMargin))
        }
        let latest = front &- Self.lookahead.ticks(in: base)
        return clock.isCertain(at: front) ? max(fronts.slowest, latest &+ margin) &- margin : latest
    }

    /// The jumps that readers of announced segments may encounter.
    private var knownJumps: [ClockJump] {
        interleaving == .live ? clock.jumps : clock.settled(at: fronts.front ?? .min)
    }

    /// The results so far.
    ///
    /// - Parameter progress: 0 … 1, by bytes.
    mutating func batch(progress: Double) -> Scanner.Batch {
        announcedCount = settledCount
        return batch(end: nil, progress: progress)
    }

    /// The results once all packets have been added.
    mutating func finished() -> Scanner.Batch {
        let end = fronts.front ?? 0
        planner.finish(end: end)
        return batch(end: end, progress: 1)
    }

    private func batch(end: Int64?, progress: Double) -> Scanner.Batch {
        Scanner.Batch(
            plan: SegmentPlan(
                timeBase: lead.stream.timeBase,
                boundaries: earlier.boundaries + (end == nil ? settledBoundaries : planner.boundaries),
                end: end,
                origin: .scan,
                changes: earlier.renumbered(changes),
                jumps: earlier.renumbered(end == nil ? knownJumps : clock.jumps),
                keyframes: lead.kind == .video ? planner.keyframes : KeyframeTimes(),
                trickPlayKeyframes: lead.kind == .video ? planner.trickPlayKeyframes : [],
                hasGradualRefresh: refresh.isGradual,
                partLength: parts?.length,
                settled: end == nil ? parts?.settled : nil
            ),
            progress: min(1, progress),
            refusedChanges: watch.refused,
            unfollowedJumps: clock.unfollowed,
            audioChanges: audioFormats.changes,
            trackEnds: fronts.trackEnds(isComplete: end != nil)
        )
    }
}
