// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles
internal import Transfers

/// The source of a session: the requested audio track, the opened source, and the requests that wait for it.
///
/// Belongs to the session's actor.
final class SessionMedia {
    let opener: Demuxer
    private let sources: SourceOpener
    let plans: PlanStore
    private let variants: SessionVariants
    /// The requested audio track: from the load request, or from a later command.
    private(set) var wantedAudio: AudioSelection
    /// `nil` until the source is open, and once the session has ended.
    private(set) var opened: OpenedMedia?
    /// The opened source, once requests are admitted. Segments may be made only then.
    var admitted: OpenedMedia? { admission.isOpen && !isStopped ? opened : nil }
    /// The source that is being opened, once it is known.
    private var pending: (any ByteSource)?
    /// The scan of the opened source.
    let scan = SessionScan()
    /// Whether the description of the source has been published.
    private(set) var isDescribed = false
    private var admission = SourceAdmission()
    /// Reads the producer's reports.
    private var reader: Task<Void, Never>?
    private let refreshes: SessionRefreshes

    init(_ sources: SourceOpener, plans: PlanStore, budget: Int, audio: AudioSelection) {
        opener = Demuxer(name: "demux-1", opener: sources)
        self.sources = sources
        self.plans = plans
        variants = SessionVariants(sources, budget: budget)
        refreshes = SessionRefreshes(sources)
        wantedAudio = audio
    }

    // A task that reads a stream without a producer would wait forever.
    deinit { reader?.cancel() }

    /// Whether the session has ended or is about to.
    var isStopped: Bool { admission.isStopped }

    /// - Parameter bytes: the session's share of the cache.
    func setBudget(_ bytes: Int) async { await variants.setBudget(bytes, of: opened) }

    /// Another variant of the source, which is opened on the first call. `nil` if the master playlist does not offer
    /// it.
    ///
    /// - Parameter targetDuration: the target duration of the source's own playlist.
    func variant(
        _ index: Int,
        targetDuration: Int,
        _ setup: SessionSetup,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(EngineError) -> OpenedMedia? {
        guard let lead = opened else { return nil }
        return try await variants.opened(index, of: lead, targetDuration: targetDuration, setup)
    }

    // MARK: Opening

    /// Opens the source of the load request, with the stored plan of an earlier scan if its index yields none.
    ///
    /// - Parameters:
    ///   - onReport: is called with each report of the producer.
    ///   - onSource: as in `Demuxer.open`.
    /// - Returns: the notices to publish. If the plan of `opened` is then not complete, a scan has to find the rest.
    func open(
        _ setup: SessionSetup,
        onReport: @escaping @Sendable (SegmentProducer.Report) -> Void,
        onSource: @escaping @Sendable (any ByteSource) -> Void
    ) async throws(EngineError) -> [Notice] {
        let request = setup.request
        let source = try await opener.open(
            request.source,
            request.http,
            options: request.options,
            playedFrom: request.startPosition,
            after: setup.record?.announcedSegments ?? 0,
            onSource: onSource
        )
        var plan = source.indexPlan
        var ends = source.trackEnds
        // A growing source ignores the stored plan: an earlier process may have stored one that ends.
        if plan == nil, source.file.growth == nil,
            let kept = await plans.load(for: source, target: request.options.segmentTarget)
        {
            (plan, ends) = (kept.plan, kept.trackEnds)
        }
        var audio = AudioTracks(source)
        let fallback = audio.select(wantedAudio)
        var start = plan ?? SegmentPlan(timeBase: source.lead.stream.timeBase, origin: .scan)
        // From the first segment on, segments consist of parts, even if the parts are never listed.
        if request.options.hasLowLatency, source.obstacleToParts == nil {
            start.partLength = PartGrid.ticks(in: start.timeBase)
        }
        let producer = SegmentProducer(
            source: source,
            demuxers: SegmentDemuxers(opener, of: source),
            plan: start,
            trackEnds: ends,
            budget: variants.budget,
            target: source.interleaving.target(request.options),
            preferredTrack: audio.servedPlace,
            onReport: onReport
        )
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped while it was opening") }
        let (parts, obstacle) = parts(of: source, by: producer, start, request.options)
        opened = OpenedMedia(source, producer, plan: start, trackEnds: ends, audio: audio, parts: parts)
        pending = nil
        catchUpWithRefresh(of: setup)
        let change = Notice.otherVersion(of: source.file, than: setup.record?.sourceVersion)
        return source.notices + [change, fallback, obstacle].compactMap(\.self)
    }

    /// Publishes a refresh that another session has carried out while this one was opening the source. From now on, a
    /// list is fetched with the new options.
    private func catchUpWithRefresh(of setup: SessionSetup) {
        let (request, now) = (setup.request, refreshed(setup.request))
        guard let source, (now.source, now.http) != (request.source, request.http) else { return }
        sources.followRefresh(source)
        setup.publish { $0.source = SourceOpener.shown(now.source) }
    }

    /// The producer of parts, if the load asks for low latency, or a notice why segments have no parts.
    private func parts(
        of source: OpenedSource,
        by producer: SegmentProducer,
        _ plan: SegmentPlan,
        _ options: LoadOptions
    ) -> (PartProducer?, Notice?) {
        guard options.hasLowLatency else { return (nil, nil) }
        guard let obstacle = source.obstacleToParts else {
            return (PartProducer(source: source, producer: producer, plan: plan), nil)
        }
        return (
            nil,
            Notice(.info, "live.no_low_latency", "segments of \(source.file.path) are not sent in parts: \(obstacle)")
        )
    }

    /// - Parameter reader: reads the producer's reports. Cancelled when the session ends.
    func read(_ reader: Task<Void, Never>) { self.reader = reader }

    /// The source, also while it is being opened.
    var source: (any ByteSource)? { opened?.source.file ?? pending }

    /// The source that is being opened is known, and may have to wait for its first bytes.
    func sourceFound(_ source: any ByteSource) {
        if opened == nil, !isStopped { pending = source }
    }

    /// The request with the URL and options that are in use now.
    func refreshed(_ request: LoadRequest) -> LoadRequest { refreshes.applied(to: request, source) }

    /// Changes the URL, header fields or connection options with which the source is fetched from now on. Waits for its
    /// server; while that cannot be reached, the source is changed without its answer.
    ///
    /// - Parameters:
    ///   - request: the load request of the session.
    ///   - interrupt: ends the wait. The source then stays as it was.
    func refresh(
        _ request: LoadRequest,
        by change: SourceRefresh,
        _ interrupt: InterruptFlag
    ) async throws(EngineError) {
        guard let source = opened?.source.file else {
            throw EngineError(.unavailable, "the source of the session is not open")
        }
        try await refreshes.refresh(source, request, by: change, interrupt)
        variants.refresh()
    }

    /// Follows the refresh of a source that another session shares with this one, which may still be opening it.
    ///
    /// - Parameter other: the source of the other session.
    /// - Returns: whether this session shares it.
    func follow(_ other: any ByteSource) -> Bool {
        guard let source, refreshes.follow(other, source) else { return false }
        variants.refresh()
        return true
    }

    /// Makes the next read of the open source try again.
    func retry() { opened?.source.file.retry() }

    /// The request for another attempt to open a source, from another URL or with other options.
    ///
    /// - Parameter request: the load request of the session.
    func reopening(_ request: LoadRequest, by change: SourceRefresh) throws(EngineError) -> LoadRequest {
        try refreshes.reopening(request, by: change)
    }

    /// - Returns: the description to publish, on the session's timeline; `nil` if the source is not open.
    func describe() -> MediaDescription? { opened?.describe() }

    /// The description has been published.
    func described() { isDescribed = true }

    /// Returns when requests are admitted, or when the session has ended before.
    func untilOpen() async {
        if !admission.isOpen, !isStopped { await withCheckedContinuation { admission.wait($0) } }
    }

    /// The source is open and planned, and all that its segments consist of is known: admits requests.
    func admit() { admission.open() }

    // MARK: Changes

    /// - Returns: a warning when no track matches `selection` and the default track is used instead.
    func select(_ selection: AudioSelection) -> Notice? {
        wantedAudio = selection
        return opened?.select(selection)
    }

    /// Extends the plan, and those of the ladder's rungs.
    ///
    /// - Parameter now: CLOCK_MONOTONIC, in nanoseconds.
    ///
    /// - Returns: whether the plan has grown or is complete.
    func adopt(_ batch: Scanner.Batch, at now: Int64) async -> Bool {
        let isGrown = opened?.adopt(batch, at: now) ?? false
        await variants.extendLadder(batch, at: now)
        return isGrown
    }

    /// Draws the subtitles of a track into the video, before requests are admitted.
    func burn(_ track: SubtitleTrack, by decoder: SubtitleDecoder, of setup: SessionSetup) async {
        guard let burner = burner(of: track, by: decoder, of: setup) else { return }
        opened?.burn(burner)
        await opened?.producer.burn(burner)
    }

    /// Makes what draws the pictures of a track into a video of the source. `nil` if the source is not open.
    func burner(of track: SubtitleTrack, by decoder: SubtitleDecoder, of setup: SessionSetup) -> SubtitleBurner? {
        guard let source = opened?.source else { return nil }
        var surroundings = SubtitleDrawing.Surroundings(setup.request.source, setup.request.http, sources)
        surroundings.origin = source.origin.time
        surroundings.frameRate = source.lead.track.video?.frameRate
        return SubtitleBurner(track, by: decoder, in: surroundings) { error in
            setup.publish(.notBurned("part of track \(track.id) cannot be drawn: \(error)"))
        }
    }

    /// Fixes the target duration, because playlists are published before the plan is complete.
    func seal(targetDuration: Int) { opened?.seal(targetDuration: targetDuration) }

    // MARK: The timeline

    var duration: MediaTime? { opened?.duration }
    /// `nil` also while the source grows.
    var finalDuration: MediaTime? { isGrowing ? nil : duration }

    var isGrowing: Bool { opened?.isGrowing ?? false }

    func segment(at position: MediaTime) -> Int { opened?.segment(at: position) ?? 0 }

    func endTime(ofSegment index: Int) -> MediaTime { opened?.endTime(ofSegment: index) ?? .zero }

    /// Decides where seeks go.
    var seekTarget: SeekTarget {
        SeekTarget(
            start: opened?.reachableStart ?? .zero,
            end: duration ?? endTime(ofSegment: (opened?.plan.segmentCount ?? 0) - 1),
            live: opened?.livePosition(at: monotonicNanoseconds()),
            keyframe: { [opened] position in opened?.keyframe(atOrBefore: position) ?? position }
        )
    }

    /// The position at which playback of a live source begins. `nil` if it begins at the start position of the load
    /// request, or at `position`.
    ///
    /// - Parameter position: the position of a restored session; `nil` for a new one.
    func entrance(_ request: LoadRequest, leaving position: MediaTime?) -> MediaTime? {
        guard let opened, opened.source.file.slides, request.startPosition == .zero else { return nil }
        let isPlayable = position.map { $0 >= opened.reachableStart && $0 <= opened.reachable ?? .zero } ?? false
        if isPlayable { return nil }
        return opened.isAhead ? opened.reachableStart : opened.livePosition(at: monotonicNanoseconds())
    }

    // MARK: Ending

    /// The session is about to end: resumes the requests that wait for the source, and interrupts refreshes and
    /// variants.
    func stop() {
        admission.stop()
        refreshes.stop()
        variants.interrupt()
    }

    /// Forgets the source. Reports are no longer read.
    func close() async {
        reader?.cancel()
        await opened?.parts?.stop()
        (opened, pending) = (nil, nil)
        await variants.stop()
        await opener.close()
    }
}

/// The requests that wait until a source is open, or until its session ends.
private struct SourceAdmission {
    private(set) var isOpen = false
    /// Whether the session has ended or is about to.
    private(set) var isStopped = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    mutating func wait(_ request: CheckedContinuation<Void, Never>) { waiting.append(request) }

    mutating func open() {
        isOpen = true
        resumeAll()
    }

    /// No request waits any more.
    mutating func stop() {
        isStopped = true
        resumeAll()
    }

    private mutating func resumeAll() {
        for request in waiting { request.resume() }
        waiting = []
    }
}

extension Notice {
    /// - Parameter source: the URL for messages.
    /// - Returns: `nil` if the wait has ended without bytes: the failure says why.
    static func of(_ delivery: SourceDelivery, at source: String) -> Notice? {
        switch delivery {
        case .waits(.silent): Notice(.warning, "source.waiting", "the server of \(source) sends nothing")
        case .waits(.retrying(let status)):
            Notice(.warning, "source.waiting", "\(source) is requested again after \(Self.answer(status))")
        case .resumed: Notice(.info, "source.resumed", "the server of \(source) delivers again")
        case .givenUp: nil
        }
    }

    /// - Parameter source: the URL for messages.
    static func of(_ reconnection: StreamReception.Reconnection, at source: String) -> Notice {
        let place = "another connection continues \(source) at byte \(reconnection.position)"
        return reconnection.isSeamless
            ? Notice(.info, "source.rejoined", "\(place), where the last one ended: what it repeated was dropped")
            : Notice(.warning, "source.gap", "\(place); what was sent before it is missing, which is a discontinuity")
    }

    /// - Parameter source: the URL for messages.
    static func of(_ splice: StreamReception.Splice, at source: String) -> Notice {
        func seconds(_ time: MediaTime) -> Double { (time.seconds * 1000).rounded() / 1000 }
        let delay = splice.delay.map { delay in
            delay < .zero
                ? "\(seconds(.zero - delay)) s before the newest media" : "\(seconds(delay)) s after the newest media"
        }
        return .adBreak(splice, "\(delay ?? "immediately") in \(source)")
    }

    /// - Parameters:
    ///   - source: the URL for messages.
    ///   - played: the PID of the video that is played, if there is one.
    ///   - isLive: whether the source is a live stream.
    static func of(
        _ change: StreamReception.Change,
        at source: String,
        playing played: Int?,
        isLive: Bool
    ) -> Notice {
        let what: String
        switch change.kind {
        case .replaced(let old, let number, let new, let place):
            what = "the \(old) of PID \(number) continues as \(new) of PID \(place)"
            guard number == played else { break }
            let rest = isLive ? "; the source goes on when it is loaded again" : ", and the rest is not played"
            return Notice(.warning, "video.codec_changed", "in \(source), \(what): this session ends there\(rest)")
        case .moved(let name, let old, let new, _): what = "the \(name) of PID \(old) continues as PID \(new)"
        case .returned(let name, let number, _): what = "the \(name) of PID \(number) is there again"
        case .vanished(let name, let number):
            let text = "the \(name) of PID \(number) has vanished from \(source)"
            return Notice(.warning, "source.streams_changed", text)
        case .appeared(let name, let number):
            let text =
                "\(name) of PID \(number) has appeared in \(source); it is played when the source is loaded again"
            return Notice(.warning, "source.streams_changed", text)
        }
        return Notice(.info, "source.streams_changed", "the streams of \(source) have changed: \(what)")
    }

    /// `nil` for a change that clients need not know about.
    static func of(_ change: NetworkChange) -> Notice? {
        switch change {
        case .linkDown(let name): Notice(.warning, "network.lost", "the network link \(name) is down")
        case .routeLost: Notice(.warning, "network.lost", "this machine has lost its route to servers")
        case .linkUp(let name): Notice(.info, "network.restored", "the network link \(name) is up")
        case .routeBack: Notice(.info, "network.restored", "this machine has a route to servers again")
        case .routeAdded, .unwatched: nil
        }
    }

    private static func answer(_ status: Int?) -> String {
        status.map { "a response with status \($0)" } ?? "a failure"
    }
}
