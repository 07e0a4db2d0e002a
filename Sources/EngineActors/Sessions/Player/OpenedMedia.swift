// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// The opened source of a session: its tracks, its plan, and what is derived from them. A plain value, except for the
/// producers.
struct OpenedMedia {
    /// In microseconds. If the wall clocks of the source and of this machine differ by more, one of them is wrong.
    private static let clockTolerance: UInt64 = 60_000_000
    /// The target latency of a live stream depends on the longest of its newest segments. This many are compared.
    private static let comparedSegments = 8
    /// How far before the window of a source the playhead may be without being moved.
    private static let windowTolerance = MediaTime.seconds(3)
    /// The number of segments at the start of a window whose media may be gone before it has been fetched: while a
    /// segment is fetched, the window moves by about one, and the media before a segment may be needed too.
    private static let windowMargin = 2

    let source: OpenedSource
    let producer: SegmentProducer
    /// Makes the parts of live segments. `nil`: segments have none.
    let parts: PartProducer?
    /// The init segment for each track's first configuration; empty for tracks that are not served.
    private let inits: [ByteBody]
    private(set) var plan: SegmentPlan
    private(set) var trackEnds: [MediaTime?]
    /// The target duration of playlists that were published before the plan was complete. It must not change. `nil` if
    /// the plan was complete before any playlist was published.
    private(set) var sealedTargetDuration: Int?
    /// On the session's timeline.
    private(set) var chapters: [Chapter] = []
    /// The stream that holds the cover.
    private(set) var cover: StreamDescription?
    private(set) var audio: AudioTracks
    private let grew: Bool
    /// The subtitles that are drawn into the video. `nil`: none.
    private(set) var burner: SubtitleBurner?
    /// When the plan last grew: CLOCK_MONOTONIC, in nanoseconds.
    private var growth: Int64 = 0

    init(
        _ source: OpenedSource,
        _ producer: SegmentProducer,
        plan: SegmentPlan,
        trackEnds: [MediaTime?],
        audio: AudioTracks,
        parts: PartProducer? = nil
    ) {
        self.source = source
        self.producer = producer
        self.parts = parts
        self.plan = plan
        self.trackEnds = trackEnds
        self.audio = audio
        grew = source.file.growth != nil
        inits = source.tracks.map { ByteBody($0.isServed ? InitSegment.bytes(for: $0.track) : []) }
    }

    // MARK: Changes

    /// - Returns: a warning when no track matches `selection` and the default track is used instead.
    mutating func select(_ selection: AudioSelection) -> Notice? { audio.select(selection) }

    /// Whether the plan already extends beyond a batch, which then comes from a repeated scan.
    func covers(_ batch: Scanner.Batch) -> Bool {
        batch.plan.segmentCount < plan.segmentCount && !batch.plan.isComplete
    }

    /// The media with `batch` adopted. `nil` if the batch adds no segment and does not complete the plan.
    func grown(by batch: Scanner.Batch, at now: Int64) -> Self? {
        var grown = self
        return grown.adopt(batch, at: now) ? grown : nil
    }

    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    /// - Returns: whether the plan has grown or is complete.
    mutating func adopt(_ batch: Scanner.Batch, at now: Int64) -> Bool {
        let isGrown = batch.plan.segmentCount != plan.segmentCount || batch.plan.isComplete
        let hasNewPart = batch.plan.partCount(of: batch.plan.segmentCount) > plan.partCount(of: batch.plan.segmentCount)
        if batch.plan.segmentCount != plan.segmentCount || hasNewPart { growth = now }
        plan = batch.plan
        if batch.plan.isComplete { trackEnds = Array(batch.trackEnds.prefix(source.tracks.count)) }
        return isGrown
    }

    mutating func burn(_ burner: SubtitleBurner) { self.burner = burner }

    mutating func seal(targetDuration: Int) { sealedTargetDuration = targetDuration }

    /// Seals a target duration of at least `targetDuration`, even if all segments are shorter.
    mutating func sealAtLeast(targetDuration: Int) {
        let own = playlists(from: .zero, SubtitleTracks(.none), lateCaptions: []).targetDuration
        sealedTargetDuration = max(own, targetDuration)
    }

    /// - Returns: the description to publish, on the session's timeline.
    mutating func describe() -> MediaDescription {
        var description = source.media
        if let duration { description.duration = duration }
        let shift = description.start
        for place in description.chapters.indices {
            description.chapters[place].start = description.chapters[place].start - shift
            description.chapters[place].end = description.chapters[place].end - shift
        }
        chapters = description.chapters
        cover = description.streams.first { $0.coverMimeType != nil }
        return description
    }

    /// Whether the plan begins with segments that an earlier process announced.
    private var isResumed: Bool { plan.boundaries.first?.position == SegmentPlan.nowhere }

    /// Whether only an earlier process had the media of a segment.
    func isLost(_ index: Int) -> Bool {
        plan.boundaries.indices.contains(index) && plan.boundaries[index].position == SegmentPlan.nowhere
    }

    /// Whether the source may no longer have all media that a segment needs. If its window moves, that may be so although
    /// the segment itself is in the window: its audio may have a list of its own, which was loaded later, and the segment
    /// before it may be needed too.
    ///
    /// - Parameter plan: the plan that the index refers to.
    func hasDropped(_ index: Int, of plan: SegmentPlan) -> Bool {
        guard plan.boundaries.indices.contains(index) else { return false }
        let first = index - (source.file.slides ? Self.windowMargin : 0)
        return first < 0 || plan.boundaries[first].position < source.file.oldest
    }

    /// Makes the source fetch its playlist again before the next segment.
    func refreshList() { source.refresh() }

    // MARK: The timeline

    /// `nil` until the plan is complete, unless the source states it.
    var duration: MediaTime? {
        guard let end = plan.end ?? source.statedEnd else { return nil }
        return trackEnds.compactMap { $0 }.reduce(shown(end), max)
    }

    /// The end of the plan so far. `nil` while nothing is planned.
    var reachable: MediaTime? {
        if plan.isComplete { return duration }
        return plan.segmentCount > 0 ? plan.endTime(of: plan.segmentCount - 1).map(shown) : nil
    }

    /// Whether the plan of a disc's title has not reached a position yet. `false` for sources that are not planned in
    /// advance.
    func isUnplanned(_ position: MediaTime) -> Bool {
        source.isPlannedAhead && !plan.isComplete && position > reachable ?? .zero
    }

    /// The start of the part of the source that can still be read. Above zero only after a window has moved, or if the
    /// plan begins with segments that only an earlier process had.
    var reachableStart: MediaTime {
        let oldest = source.file.oldest
        guard oldest > 0 || isResumed else { return .zero }
        guard let first = plan.boundaries.first(where: { $0.position >= oldest }) else { return reachable ?? .zero }
        return max(.zero, shown(first.time))
    }

    /// Where playback returns to a window that it has left: after the margin, as far as so many segments are announced.
    private var rejoinPosition: MediaTime {
        let oldest = source.file.oldest
        let first = plan.boundaries.firstIndex { $0.position >= oldest } ?? plan.segmentCount
        let index = min(first + Self.windowMargin, plan.segmentCount - 1)
        return max(reachableStart, plan.boundaries.indices.contains(index) ? shown(plan.boundaries[index].time) : .zero)
    }

    /// What a session does whose source no longer has the media at the playhead.
    enum Rejoining: Hashable {
        case moves(to: MediaTime)
        /// No later media is announced yet.
        case waits
    }

    /// - Parameters:
    ///   - failure: why the media at `position` cannot be read. `nil` if it can, or if that has not been tried: the
    ///     position may then be up to three seconds before the window, because its segments may have been made already.
    /// - Returns: `nil` if the source has the media at `position`, or has no window.
    func rejoining(from position: MediaTime, after failure: EngineError? = nil) -> Rejoining? {
        guard grew else { return nil }
        let isBehind = position + (failure == nil ? Self.windowTolerance : .zero) < reachableStart
        let isGone = failure?.code == .sourceNotReadable && source.file.slides
        guard isBehind || isGone && hasDropped(segment(at: position), of: plan) else { return nil }
        let place = rejoinPosition
        if place > position { return .moves(to: place) }
        return plan.isComplete ? nil : .waits
    }

    /// Whether the source grew when it was opened, and its end is not known yet.
    var isGrowing: Bool { grew && !plan.isComplete }

    /// Whether a failed scan ends the plan with the media found so far. Decided by whether the source grew when it was
    /// opened: a file that is cut short no longer counts as growing.
    func endsPlan(after failure: EngineError) -> Bool { isGrowing && failure.code != .cancelled }

    /// The state of a live source. `nil` for any other.
    ///
    /// - Parameters:
    ///   - position: the playhead's position now.
    ///   - clock: the time of day, in microseconds since 1970.
    func live(playing position: MediaTime, at now: Int64, clock: Int64) -> LiveState? {
        guard isGrowing, let progress = source.file.live, let edge = liveEdge else { return nil }
        let arrival = progress.monotonicNanoseconds ?? growth
        // The newest media may not be planned yet: media that ends at the planned edge arrived earlier than the newest,
        // by the length of what is not planned. Parts may extend beyond the newest segment of a list: they arrived
        // later.
        let unplanned = Self.unplanned(progress, beyond: edge).microseconds
        var live = LiveState(
            edge: edge,
            monotonicNanoseconds: arrival - unplanned * 1000,
            latency: .zero,
            targetLatency: distance(progress, unplanned: MediaTime(microseconds: unplanned)).target
        )
        live.latency = live.latency(of: position, at: now)
        let stated = source.file.reception.tables.clock
        live.wallClock = progress.wallClock.map { $0 - unplanned } ?? stated.flatMap { recorded(by: $0) }
        live.utcOffset = stated?.utcOffset ?? 0
        live.isStalled = progress.isStalled
        if let recorded = live.wallClock {
            let expected = clock - (now - live.monotonicNanoseconds) / 1000
            live.isWallClockDoubtful = (recorded - expected).magnitude > Self.clockTolerance
        }
        return live
    }

    /// When the media at the live edge was broadcast, by the clock that the stream carries.
    private func recorded(by clock: BroadcastTables.Clock) -> Int64? {
        guard let edge = plan.parts(of: plan.segmentCount).last ?? plan.endTime(of: plan.segmentCount - 1),
            let lead = source.media.streams.first(where: { $0.index == source.lead.stream.index })
        else { return nil }
        return clock.time(of: edge, in: plan, leading: lead.pid)
    }

    /// The end of the newest media that players can fetch: of the last segment, or of a part after it.
    private var liveEdge: MediaTime? { plan.parts(of: plan.segmentCount).last.map(shown) ?? reachable }

    /// Whether the media that a live stream has delivered lasts longer than the time since its first byte. The stream
    /// may then be a recording, which is played from its beginning.
    var isAhead: Bool {
        guard let window = source.file.window, let edge = reachable else { return false }
        return (edge - reachableStart).microseconds > (monotonicNanoseconds() - window.beginning) / 1000
    }

    /// The position at the target latency behind the live edge. `nil` unless the source is live.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    func livePosition(at now: Int64) -> MediaTime? {
        guard let progress = source.file.live, let live = live(playing: .zero, at: now, clock: 0) else { return nil }
        let distance = distance(progress, unplanned: Self.unplanned(progress, beyond: live.edge))
        return max(reachableStart, distance.position(edge: live.edge, age: live.latency(of: live.edge, at: now)))
    }

    /// The length of the media that has arrived after the edge. Negative if the edge is that of a part of a segment
    /// that is not complete.
    private static func unplanned(_ progress: LiveProgress, beyond edge: MediaTime) -> MediaTime {
        (progress.newest ?? edge) - edge
    }

    /// - Parameter unplanned: how much media has arrived after the edge.
    private func distance(_ progress: LiveProgress, unplanned: MediaTime) -> LiveDistance {
        let required = parts.map { _ in max(PlaylistParts.holdBack, source.partHoldBack ?? .zero) }
        if let stated = progress.targetLatency ?? required { return .listed(stated) }
        let newest = max(0, plan.segmentCount - Self.comparedSegments)..<plan.segmentCount
        let lengths = newest.map { endTime(ofSegment: $0) - shown(plan.boundaries[$0].time) }
        let longest = lengths.max() ?? .zero
        guard let reserve = progress.reserve else {
            return .arriving(longestSegment: longest, reserve: LiveDistance.streamReserve)
        }
        // A segment that arrived, but is not announced yet, e.g. because its audio is missing, is announced with the
        // next one.
        return .arriving(longestSegment: longest + max(.zero, unplanned), reserve: reserve)
    }

    func segment(at position: MediaTime) -> Int {
        plan.segment(at: position.ticks(in: source.lead.stream.timeBase) &+ source.lead.origin) ?? 0
    }

    /// Zero if no such segment is planned.
    func endTime(ofSegment index: Int) -> MediaTime {
        guard let end = plan.endTime(of: index) else { return .zero }
        if plan.isComplete, index == plan.segmentCount - 1, let duration { return duration }
        return shown(end)
    }

    /// The latest keyframe at or before `position`; zero if there is none. Returns `position` without video, because audio
    /// can start anywhere, and if no keyframe there is known yet.
    func keyframe(atOrBefore position: MediaTime) -> MediaTime {
        guard source.lead.kind == .video else { return position }
        if isUnplanned(position) { return position }
        // Compared on the published timeline, so that a seek to the position where an earlier seek landed stays there.
        guard let time = plan.keyframes.last(where: { shown($0) <= position }) else { return .zero }
        return max(.zero, shown(time))
    }

    /// The available media around `position`. `nil` if there is none.
    func available(around position: MediaTime) -> MediaTimeRange? {
        let index = segment(at: position)
        let end = producer.contiguousEnd(from: index)
        guard end > index else { return nil }
        let start = producer.contiguousStart(upTo: index)
        return MediaTimeRange(
            start: start == 0 ? .zero : endTime(ofSegment: start - 1),
            end: endTime(ofSegment: end - 1)
        )
    }

    /// A time of the lead track on the session's timeline.
    private func shown(_ time: Int64) -> MediaTime {
        MediaTime(source.lead.timelineTicks(time), in: source.lead.track.timeBase)
    }

    // MARK: Serving

    /// A segment as players get it.
    func segment(_ index: Int, track: Int) async throws(EngineError) -> ByteBody {
        if let parts { return try await parts.segment(index, track: track) }
        return try await producer.segment(index, track: track)
    }

    /// Starts to make a segment that will be requested soon.
    func prefetch(_ index: Int) {
        // Ends with the segment, or when the producer stops.
        Task { [producer] in
            do throws(EngineError) { try await producer.ensure(index) } catch {
                // A later request for this segment reports the error.
            }
        }
    }

    /// The init segment of one version of a track's configuration. A new version is announced together with the first
    /// segment that needs it; until then it is `.notReady`.
    func initSegment(of track: Int, version: Int) -> MediaResource {
        let isVideo = source.tracks[track].kind == .video
        let isVersioned = source.hasVersions(track)
        if version == (isVersioned ? source.firstVersion : 0) {
            return .initSegment(inits[track], isVideo: isVideo)
        }
        guard isVersioned else { return .notFound }
        guard version <= plan.announcedVersionCount else { return plan.isComplete ? .notFound : .notReady }
        let changed = source.track(track, version: version, of: plan)
        return .initSegment(ByteBody(InitSegment.bytes(for: changed.track)), isVideo: isVideo)
    }

    func playlists(from start: MediaTime, _ subtitles: SubtitleTracks, lateCaptions: Set<String>) -> Playlists {
        Playlists(
            source: source,
            plan: plan,
            trackEnds: trackEnds,
            sealedTargetDuration: sealedTargetDuration,
            startPosition: start,
            oldest: source.file.slides || isResumed ? source.file.oldest : nil,
            subtitles: subtitles.text,
            defaultSubtitles: subtitles.defaultText,
            lateCaptions: lateCaptions
        )
    }
}

extension SessionState {
    /// Fills in what is known about an opened source.
    mutating func show(_ opened: OpenedMedia, _ description: MediaDescription, as setup: SessionSetup) {
        media = description
        videoFormat = description.videoFormat
        sourceVideoFormat = description.sourceVideoFormat
        route = description.route(playing: opened.audio.stream)
        profile = setup.request.options.profile.name
        rateRange = setup.settings.rateRange
        selectedAudio = opened.audio.stream
        metadata = description.tags
        if opened.source.lead.kind == .video { storyboardURL = SessionURLs.storyboard(besideMaster: url) }
        if opened.cover != nil { coverArtURL = SessionURLs.cover(besideMaster: url) }
    }
}
