// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging
internal import Reading
internal import Segments
internal import Subtitles

/// Publishes the segment boundaries of a session's source as they become known, and runs the scan that finds them.
///
/// Belongs to the session's actor.
final class SessionPlanning {
    /// How long a load waits for the scan to finish before it publishes a growing playlist.
    private static let scanPatience = Duration.milliseconds(200)
    /// The shortest time for which a scan waits for a moving playhead, in nanoseconds: the starts of segments are
    /// rounded, so a playhead that has arrived at one may still count as in the segment before.
    private static let shortestWait: Int64 = 10_000_000

    private let setup: SessionSetup
    private let media: SessionMedia
    private let subtitles: SessionSubtitles
    private let transport: SessionTransport
    private let software: SoftwarePath
    private let findings: SessionFindings
    /// The scanner, until the source can be published.
    private var first: Scanner?
    /// The reception of the source as last reported to clients.
    private var published = StreamReception()
    /// The program guide as published last.
    private var guide: [ProgramGuide] = []
    /// The fraction of the source that has been scanned, 0 … 1.
    private var progress = 1.0
    /// Signals when more of the source is known, or nothing more will be.
    let changes = ChangeSignal()

    init(_ parts: SessionParts, _ software: SoftwarePath) {
        (setup, media, subtitles) = (parts.setup, parts.media, parts.subtitles)
        (transport, findings) = (parts.transport, parts.findings)
        self.software = software
    }

    /// Whether a scan has ended, so that nothing more will become known. `false` if no scan was needed.
    var isOver: Bool { media.scan.isOver }

    /// Scans the source until its playlists can be published, or until the plan is complete.
    ///
    /// - Throws: `cancelled` as soon as the session is stopped; `noPlayableStream` if there is no keyframe; otherwise
    ///   the error of the scan.
    func start(isolation: isolated (any Actor)? = #isolation) async throws(EngineError) {
        guard let source = media.opened?.source else { return }
        let target = source.interleaving.target(setup.request.options)
        let announced = setup.record?.announcedSegments ?? 0
        let scanner = scanner(of: source)
        let deadline = Deadline(in: Self.scanPatience)
        first = scanner
        defer { first = nil }
        planning: while true {
            let batch: Scanner.Batch
            switch await result(of: scanner, isAwaited: true) {
            case .success(let found): batch = found
            case .failure(let failure):
                guard await end(scanner, with: failure) else { throw failure }
                break planning
            }
            await adopt(batch)
            guard !media.isStopped else {
                throw EngineError(.cancelled, "the session was stopped while \(source.file.path) was scanned")
            }
            if batch.plan.isComplete { break }
            // All segments that an earlier process announced must be planned before playlists are published again. A
            // growing source does not wait for the deadline, because it is not known when more of it will arrive. Nor
            // does a scan that downloads the source, once it is far enough ahead: on a fast network, it would download
            // much until the deadline.
            let isAhead = source.isDownloadedByScan && ScanPace.waits(at: batch.offset, batch.plan, playing: 0)
            let isEnough =
                source.isPlannedAhead ? isEntranceReached : deadline.hasPassed || media.isGrowing || isAhead
            if batch.plan.segmentCount > max(announced - 1, batch.plan.earlierCount), isEnough {
                media.seal(
                    targetDuration: setup.record?.sealedTargetDuration
                        ?? Playlists.targetDurationOfGrowingPlan(
                            batch.plan,
                            target: target,
                            promised: source.promisedTargetDuration
                        )
                )
                begin(scanner)
                break
            }
        }
        guard let plan = media.opened?.plan, plan.segmentCount > 0 else {
            throw EngineError(
                .noPlayableStream,
                "\(source.file.path) has no keyframe to start playback at",
                cause: "a scan of the whole file found no keyframe of \(source.lead.stream.codec.rawValue)"
            )
        }
    }

    /// Whether players can begin where playback begins. The software path can begin anywhere.
    private var isEntranceReached: Bool {
        guard let opened = media.opened, opened.source.lead.isServed else { return true }
        return setup.record?.position ?? setup.request.startPosition < opened.reachable ?? .zero
    }

    private func scanner(of source: OpenedSource) -> Scanner {
        Scanner(
            source: source,
            target: source.interleaving.target(setup.request.options),
            keeping: LiveWindow.Limits(setup.settings),
            after: setup.record?.announcedSegments ?? 0,
            hasParts: media.opened?.parts != nil
        )
    }

    private func begin(_ scanner: Scanner, isolation: isolated (any Actor)? = #isolation) {
        // Cancelled when the session ends.
        let task = Task {
            _ = isolation
            await self.continueScan(scanner)
        }
        media.scan.started(task)
    }

    /// Whether the scan stopped because the source could not be read, and may be readable again.
    var canResume: Bool { media.scan.failure?.code.isRecoverable == true && !media.isStopped }

    /// Starts the scan again if `canResume`. A plan depends only on the source, so the new scan finds the same
    /// boundaries.
    func resume(isolation: isolated (any Actor)? = #isolation) {
        if canResume, let source = media.opened?.source { begin(scanner(of: source)) }
    }

    /// Waits for the scan to end, if it continues after the source was opened.
    func untilComplete() async { await media.scan.untilOver() }

    func stop() {
        first?.interrupt()
        media.scan.stop()
        changes.signal()
    }

    /// Scans some more. Cancelling the task interrupts the scan.
    private func step(_ scanner: Scanner, isAwaited: Bool) async throws(EngineError) -> Scanner.Batch {
        try await interrupting(by: scanner.interrupt) { () async throws(EngineError) in
            try await scanner.step(isAwaited: isAwaited)
        }
    }

    private func result(of scanner: Scanner, isAwaited: Bool) async -> Result<Scanner.Batch, EngineError> {
        do throws(EngineError) {
            return .success(try await step(scanner, isAwaited: isAwaited))
        } catch {
            return .failure(error)
        }
    }

    private func continueScan(_ scanner: Scanner) async {
        defer {
            media.scan.ended()
            changes.signal()
        }
        while !Task.isCancelled, !media.isStopped {
            switch await result(of: scanner, isAwaited: false) {
            case .success(let batch):
                // Already planned: neither announced again nor paced by playback.
                if media.opened?.covers(batch) == true { continue }
                await adopt(batch)
                if batch.plan.isComplete { return }
                await waitForPlayback(batch.offset)
            case .failure(let failure):
                guard !media.isStopped else { return }
                if await !end(scanner, with: failure) {
                    setup.publish(Notice(.warning, "plan.scan_failed", "\(failure)"))
                    media.scan.failed(failure)
                    // Nothing more of a source that has changed will ever be planned. Any other can be played to the
                    // end of its plan, where the playhead may be waiting already.
                    if failure.code == .sourceChanged { transport.fail(failure) } else { transport.planHasGrown() }
                }
                return
            }
        }
    }

    /// Returns when the scan of a source on a server, which has reached `offset`, should continue. All other scans
    /// continue at once.
    private func waitForPlayback(_ offset: Int64) async {
        while let opened = media.opened, opened.source.isDownloadedByScan, !media.isStopped, !Task.isCancelled {
            let (seen, now) = (transport.moves.signalCount, monotonicNanoseconds())
            let played = max(transport.counters.lastServed, opened.segment(at: transport.playhead))
            guard let goal = ScanPace.goal(at: offset, opened.plan, playing: played) else { return }
            let start = opened.endTime(ofSegment: goal - 1)
            let arrival = transport.player.machine.anchor(at: now).arrival(at: start)
            await transport.moves.wait(after: seen, until: arrival.map { max($0, now + Self.shortestWait) })
        }
    }

    /// Ends the plan of a growing source after a failure, with the media received so far: players must not wait for
    /// more.
    ///
    /// - Returns: whether the plan has ended in this way. `false` if the source does not grow, or if nothing is
    ///   planned.
    private func end(_ scanner: Scanner, with failure: EngineError) async -> Bool {
        guard media.opened?.endsPlan(after: failure) == true else { return false }
        let batch = await scanner.finish()
        guard batch.plan.segmentCount > 0 else { return false }
        setup.publish(Notice(.warning, "plan.scan_failed", "\(failure)"))
        await adopt(batch, isKept: false)
        return true
    }

    /// - Parameter isKept: whether the plan, if it is complete, is kept for the next open of the source.
    private func adopt(_ batch: Scanner.Batch, isKept: Bool = true) async {
        // The producer and the decoder have the plan before a request can name its segments.
        if let grown = media.opened?.grown(by: batch, at: monotonicNanoseconds()) {
            await grown.producer.extend(grown.plan, trackEnds: grown.trackEnds)
            await subtitles.decoder?.extend(grown.plan)
        }
        await media.opened?.parts?.extend(batch.plan)
        defer { changes.signal() }
        for notice in batch.newNotices { setup.publish(notice) }
        if let variant = batch.variant { setup.publish { $0.media?.play(variant) } }
        let isGrown = await media.adopt(batch, at: monotonicNanoseconds())
        guard let opened = media.opened else { return }
        if isGrown { transport.planHasGrown() }
        if batch.plan.isComplete, isKept, batch.plan.origin == .scan {
            await media.plans.save(batch, of: opened.source, target: setup.request.options.segmentTarget)
        }
        progress = batch.progress
        publish()
        transport.chaseEdge()
        await software.planHasGrown()
        if media.isDescribed { findings.noteVersions() }
        let (reception, path) = (opened.source.file.reception, opened.source.file.path)
        for reconnection in reception.reconnections.dropFirst(published.reconnections.count) {
            setup.publish(.of(reconnection, at: path))
        }
        let played = opened.source.lead.kind == .video ? opened.source.lead.stream.identifier : nil
        for change in reception.changes.dropFirst(published.changes.count) {
            let isLive = opened.source.interleaving == .live
            setup.publish(.of(change, at: path, playing: played, isLive: isLive))
        }
        for splice in reception.splices.dropFirst(published.splices.count) { setup.publish(.of(splice, at: path)) }
        if reception.tables.events != published.tables.events { publish(reception.tables, of: opened.source.media) }
        published = reception
        guard batch.plan.isComplete else { return }
        for notice in batch.notices(path: opened.source.file.path) { setup.publish(notice) }
    }

    /// Publishes the program guide from the tables of the source.
    private func publish(_ tables: BroadcastTables, of media: MediaDescription) {
        let new = tables.guide(of: media)
        setup.publish { $0.guide = new }
        if let notice = Notice.event(new, after: guide, of: media) { setup.publish(notice) }
        guide = new
    }

    /// Publishes the known part of the timeline.
    func publish(isolation: isolated (any Actor)? = #isolation) {
        guard let media = media.opened else { return }
        let (plan, duration, reachable, progress) = (media.plan, media.duration, media.reachable, progress)
        let (start, isGrowing) = (media.reachableStart, media.isGrowing)
        let clock = wallClockSeconds() * 1_000_000
        transport.change { player, now in
            let isMoved = player.machine.setDuration(duration)
            let playhead = player.machine.playhead(at: now)
            let anchor = player.machine.anchor(at: now)
            setup.publish { state in
                if isMoved { state.position = anchor }
                state.duration = duration
                state.seekable = reachable.map { [MediaTimeRange(start: min(start, $0), end: $0)] } ?? []
                state.isGrowing = isGrowing
                state.live = media.live(playing: playhead, at: now, clock: clock)
                state.production.plannedSegments = plan.segmentCount
                state.production.isPlanComplete = plan.isComplete
                state.production.scanProgress = plan.isComplete ? 1 : (progress * 100).rounded(.down) / 100
                state.production.planOrigin = plan.origin
            }
        }
    }
}

extension MediaDescription {
    /// Describes the variants of a source after the engine has switched.
    mutating func play(_ variant: PlayedVariant) {
        for place in variants.indices {
            if variants[place].index == variant.index {
                (variants[place].use, variants[place].reason) = (.played, variant.reason)
            } else if variants[place].use == .played {
                (variants[place].use, variants[place].reason) = (.unused, SourceVariant.reasonForAlternative)
            }
        }
    }
}

extension LiveWindow.Limits {
    fileprivate init(_ settings: PlayerSettings) {
        self.init(duration: settings.dvrWindow, byteCount: settings.dvrByteCount ?? .max)
    }
}
