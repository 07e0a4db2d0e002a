// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import Decoding
package import EngineModel
internal import EngineRuntime
internal import Packaging
package import Reading
package import Segments
internal import Stills
internal import Subtitles

/// One loaded source: its plan, its segment producer, its clock and its published state.
///
/// Never blocks and never makes segments itself: it sets the order in which its parts work. Owned by the engine; called
/// by the engine and by the loopback routes.
package actor PlaybackSession {
    nonisolated let setup: SessionSetup
    private let parts: SessionParts
    private let filters: SessionFilters
    private let software: SoftwarePath
    private let planning: SessionPlanning
    private let serving: SessionServing
    private let journaling: SessionJournaling
    private let succession: SessionSuccession
    private let reviving: SessionReviving

    package init(
        record: SessionRecord,
        origin: SessionOrigin,
        hub: EventHub,
        plans: PlanStore,
        sources: SourceOpener,
        budget: Int,
        settings: PlayerSettings,
        journal: SessionJournal? = nil
    ) {
        let now = monotonicNanoseconds()
        setup = SessionSetup(record, origin, settings, hub, journal)
        let media = CrashTag.$current.withValue(setup.tag) {
            SessionMedia(
                sources,
                plans: plans,
                budget: budget,
                audio: record.audio ?? record.request.options.audio
            )
        }
        var player = SessionPlayer(
            PlayerStateMachine(
                position: max(.zero, record.position),
                opening: setup.opening,
                settings: setup.settings,
                at: now
            )
        )
        if case .restored(let left) = origin { player.restore(left, at: now) }
        parts = SessionParts(record, setup, media, player, opener: sources)
        filters = SessionFilters(record.treatment, setup)
        software = SoftwarePath(parts, filters, wanted: record.path)
        planning = SessionPlanning(parts, software)
        serving = SessionServing(parts, planning)
        journaling = SessionJournaling(parts, filters, software, crashes: record.crashes)
        succession = SessionSuccession(of: origin.predecessor, parts, software, filters)
        reviving = SessionReviving(parts, software, planning)
    }

    package nonisolated var id: SessionID { setup.id }
    package nonisolated var token: String { setup.token }

    private var media: SessionMedia { parts.media }
    private var subtitles: SessionSubtitles { parts.subtitles }
    private var transport: SessionTransport { parts.transport }
    private var findings: SessionFindings { parts.findings }

    /// Has the journal note everything that is needed to restore this session.
    func note() async -> SessionJournaling.Noted {
        await inherit()
        return journaling.note()
    }

    /// The load request, with the URL and header fields that are in use now.
    package func request() -> LoadRequest { media.refreshed(setup.request) }

    /// The request that loads the same source into the same session again, from the playhead. `nil` if the selected
    /// program is already playing.
    package func reload(
        playing selection: ProgramSelection,
        _ state: SessionState
    ) throws(EngineError) -> LoadRequest? { try journaling.reload(playing: selection, state) }

    // MARK: Opening

    /// Opens and plans the source. Returns once its playlists can be fetched.
    package func open() async throws(EngineError) {
        journaling.note(.opening)
        await inherit()
        filters.read(filters.findings().deliver(to: self) { session, finding in await session.take(finding) })
        transport.refresh()
        let (reports, report) = AsyncStream.makeStream(
            of: SegmentProducer.Report.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let (sources, found) = AsyncStream.makeStream(of: SourceWatch.PendingSource.self)
        let finder = sources.deliver(to: self) { session, source in session.sourceFound(source) }
        defer { finder.cancel() }
        let notices = try await media.open(setup, onReport: { report.yield($0) }, onSource: { found.yield(.init($0)) })
        for notice in notices { setup.publish(notice) }
        guard let opened = media.opened else { return }
        parts.watch.follow(opened.source.file, of: self)
        setup.report(to: opened.source.file, playing: opened.source.media)
        media.read(reports.deliver(to: self) { session, report in session.serving.take(report) })
        subtitles.read(
            subtitles.open(opened).deliver(to: self) { session, window in await session.take(window) },
            subtitles.work.deliver(to: self) { session, _ in await session.catchUpWithSubtitles() }
        )
        await subtitles.startFiles()
        await subtitles.burn()
        if !opened.plan.isComplete { try await planning.start() }
        guard !media.isStopped else { throw EngineError(.cancelled, "the session was stopped while it was opening") }
        publishReady()
    }

    /// The source is open and planned: publishes it, and carries out the commands that arrived in the meantime.
    private func publishReady() {
        planning.publish()
        guard let description = media.describe(), let opened = media.opened else { return }
        transport.change { player, now in
            let entrance = media.entrance(setup.request, leaving: setup.record?.position)
            let asked = player.machine.opened(startingAt: entrance, at: now)
            let (phase, anchor) = (player.machine.phase, player.machine.anchor(at: now))
            setup.publish { [setup] state in
                state.show(opened, description, as: setup)
                (state.phase, state.position) = (phase, anchor)
            }
            player.perform(asked, in: media, at: now)
        }
        media.described()
        software.begin(on: self)
        findings.noteVersions()
        // Any player requests the segment at the playhead first.
        if opened.source.lead.isServed { opened.prefetch(media.segment(at: transport.playhead)) }
        media.admit()
        transport.change(.restarts) { player, now in player.adoptMedia(in: media, at: now) }
        journaling.opened()
    }

    /// The source that is being opened is known.
    func sourceFound(_ pending: SourceWatch.PendingSource) { parts.watch.sourceFound(pending, of: self) }

    /// Records that the source cannot be opened. The session remains, in the error phase.
    func fail(opening error: EngineError) async {
        await inherit()
        transport.fail(error)
        journaling.note(.resting)
        await release()
    }

    // MARK: Commands

    /// - Parameter interrupt: ends the wait for the server. The source then stays as it was.
    func refresh(_ refresh: SourceRefresh, _ interrupt: InterruptFlag) async throws(EngineError) {
        await inherit()
        try await change { () async throws(EngineError) in try await reviving.refresh(by: refresh, interrupt, on: self)
        }
    }

    /// The source that a refresh applies to. `nil` while it is not open.
    var openSource: (any ByteSource)? { media.opened?.source.file }

    /// Follows the refresh of another session's source, if this session shares it.
    ///
    /// - Returns: whether this session shares it.
    func follow(_ other: any ByteSource) async -> Bool {
        await inherit()
        guard media.follow(other) else { return false }
        await change { await reviving.continueRefreshed(on: self) }
        return true
    }

    /// The record for reopening the source after opening it failed. `nil` if it is or was open, or cannot be reopened.
    func revival(by refresh: SourceRefresh) async throws(EngineError) -> SessionRecord? {
        await inherit()
        return try journaling.revival(by: refresh)
    }

    package func perform(_ command: PlayerCommand) async throws(EngineError) -> CommandOutcome {
        await inherit()
        if case .setLoopPoints(let points?) = command, points.clamped(to: media.finalDuration) == nil {
            throw .invalid("loop_points.start_us", "is not before the end of the source")
        }
        return await change(command.effects) {
            if command.restartsFailedSession { await reviving.attempt(on: self) }
            return transport.perform(command)
        }
    }

    /// Pauses, and moves the playhead by whole frames.
    ///
    /// - Throws: errors of segments, `trackNotFound` without video, and `unavailable` while the source is not open.
    package func step(by frames: Int) async throws(EngineError) -> CommandOutcome {
        await inherit()
        return try await change { () async throws(EngineError) in
            _ = transport.perform(.pause)
            let (target, isClamped) = try await SessionStepping(media, software).target(
                frames,
                from: transport.playhead
            )
            var outcome = transport.perform(.seek(SeekCommand(.position(target), thenPlay: false)))
            outcome.isClamped = isClamped
            return outcome
        }
    }

    /// - Throws: errors of subtitle files.
    package func perform(_ command: TrackCommand) async throws(EngineError) -> CommandOutcome {
        await inherit()
        return try await change(command.effects) { () async throws(EngineError) in
            switch command {
            case .selectAudio(let selection):
                guard let stream = serving.select(selection) else { break }
                if await !software.select(audio: stream) { await serving.makeSelectedAudio() }
            case .selectSubtitles(let selection): subtitles.select(selection)
            case .addSubtitles(let sidecar): return CommandOutcome(addedSubtitles: try await subtitles.add(sidecar))
            case .removeSubtitles(let track): try await subtitles.removeFile(ofTrack: track)
            }
            return CommandOutcome()
        }
    }

    /// - Throws: errors of paths and audio outputs.
    package func perform(_ command: OutputCommand) async throws(EngineError) -> CommandOutcome {
        await inherit()
        try await change { () async throws(EngineError) in
            switch command {
            case .selectPath(let path): try await software.select(path, on: self)
            case .setSoundOutput(let output): try await software.setAudioOutput(output, on: self)
            }
        }
        return CommandOutcome()
    }

    /// Applies a filter command from the next frame on. If anything changed, the frame on screen is redrawn.
    ///
    /// - Throws: errors of filters.
    package func perform(_ command: FilterCommand) async throws(EngineError) -> CommandOutcome {
        await inherit()
        return try await change { (effects) async throws(EngineError) in
            let (outcome, isChanged) = try await filters.apply(command)
            if isChanged { effects.insert(.frame) }
            return CommandOutcome(isClamped: outcome.isClamped, addedFilter: outcome.addedFilter)
        }
    }

    /// Changes parts of the session, then updates everything that depends on the parts named in `effects`. Every
    /// command goes through here, so that the player is in its slot of the journal before the command is answered.
    /// Renderers go through `changePlayer`. Changes of the player that no client waits for are made by the alarm, or
    /// because of what production and scans report. They go through `SessionTransport.change`, which publishes them;
    /// the journal follows what is published.
    private func change<Value, Failure: Error>(
        _ effects: SessionEffects = [],
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await change { found async throws(Failure) in
            found = effects
            return try await body()
        }
    }

    /// As above, for changes whose effects `body` finds out.
    private func change<Value, Failure: Error>(
        _ body: (inout SessionEffects) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var effects: SessionEffects = []
        let value: Value
        do throws(Failure) {
            value = try await body(&effects)
        } catch {
            await settle(effects)
            throw error
        }
        await settle(effects)
        return value
    }

    /// Changes the player at once. No other part may depend on the change.
    private func changePlayer<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
        defer { journaling.notePlayer() }
        try body()
    }

    /// Updates whatever depends on several parts, in this order. Nothing else does.
    private func settle(_ effects: SessionEffects) async {
        if !effects.isDisjoint(with: [.clock, .screen]) {
            transport.refresh(effects.contains(.clock) ? .restarts : .none)
        }
        if effects.contains(.timeline), media.isDescribed { planning.publish() }
        journaling.notePlayer()
        if effects.contains(.looping) { await software.followLooping() }
        if effects.contains(.delays) {
            await software.followAudioDelay()
            await software.followSubtitles()
            // A renderer outside the engine gets the delays by loading a new URL. Its position and settings are sent
            // again.
            if transport.player.outsideRenderer != nil { transport.startRenderer() }
        }
        if effects.contains(.frame) { await software.redraw() }
    }

    // MARK: Reports

    /// The source has stopped or resumed delivering, or the wait for it has ended without bytes.
    func take(_ delivery: SourceDelivery) async {
        if !media.isStopped { await change(.timeline) { parts.watch.take(delivery) } }
    }

    func take(lostBlocks count: Int) async {
        if !media.isStopped { await change { parts.watch.take(lostBlocks: count) } }
    }

    private func take(_ window: CueWindow) async {
        guard !media.isStopped else { return }
        await change(.screen) {
            subtitles.take(window)
            findings.note(window)
        }
    }

    private func take(_ finding: SharedTreatment.Finding) async {
        guard !media.isStopped else { return }
        await change(finding == .drawn ? .frame : []) { filters.take(finding) }
    }

    private func catchUpWithSubtitles() async {
        await software.followSubtitles()
        await subtitles.catchUp { transport.playhead }
    }

    // MARK: Renderers

    /// A front-end plays the session's HLS from now on: it receives commands, and reports the state of playback.
    ///
    /// - Throws: `cancelled` in a cancelled task: the front-end has left already, and must not take another one's place.
    func attach(_ offer: RendererOffer, as number: UInt64, to receiver: any CommandReceiver) throws(EngineError) {
        if Task.isCancelled { throw EngineError(.cancelled, "the renderer \(offer.name) has left") }
        try changePlayer { () throws(EngineError) in try software.attach(offer, as: number, to: receiver) }
    }

    func take(_ report: RendererReport, from number: UInt64) {
        changePlayer { if transport.take(report, from: number) { software.countDecoding() } }
    }

    func detach(_ number: UInt64, because reason: String) { changePlayer { transport.detach(number, because: reason) } }

    // The engine's own renderer calls these.

    func fail(_ error: EngineError, from number: UInt64) { changePlayer { software.fail(error, from: number) } }
    func rendererSource(for number: UInt64) -> RendererSource? { software.rendererSource(for: number) }
    func prepare(_ renderer: SoftwareRenderer) async { await software.prepare(renderer) }
    func attachDevice(to renderer: SoftwareRenderer) async { await software.attachDevice(to: renderer) }

    // MARK: Sinks

    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    func checkSinks() async throws(EngineError) {
        await inherit()
        try software.checkSinks()
    }

    /// Delivers the session's frames or audio to `sink` until it is detached, even when another source is loaded. Only
    /// the audio sink that was attached last receives audio.
    ///
    /// - Throws: `pathConflict` while a renderer outside the engine moves the playhead.
    package func attach(_ sink: SessionSinks.Sink) async throws(EngineError) -> SessionSinkID {
        await inherit()
        return try await change { () async throws(EngineError) in try await software.attach(sink, on: self) }
    }

    /// Detaches a sink. When no sink is left, a source that players can fetch returns to the remux path, unless a
    /// client selected the software path.
    package func detach(sink id: SessionSinkID) async {
        await inherit()
        await change { await software.detach(id, on: self) }
    }

    // MARK: Requests

    /// The resource at `path`, below the session's token. Waits while the source is being opened.
    package func resource(at path: String, query: String) async -> MediaResource {
        await serving.resource(at: path, query: query)
    }

    /// The cues that a request refers to. They are read piece by piece, as the caller requests them.
    package func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        try await subtitles.cues(request)
    }

    /// `nil` while the source is not open.
    func stills() -> SessionStills? { serving.stills() }

    /// Returns when requests are admitted, or when the session has ended before.
    func untilOpen() async { await media.untilOpen() }

    /// Whether the source is being opened.
    var isOpening: Bool { media.admitted == nil && !media.isStopped }

    /// For parts of the engine that read the source independently of playback. `nil` while the source is not open, and
    /// once the session has ended.
    var openedMedia: (source: OpenedSource, plan: SegmentPlan)? {
        media.admitted.map { ($0.source, $0.plan) }
    }

    /// For recorders. `nil` while the source is not open, and once the session has ended.
    var recordedMedia: RecordedMedia? {
        media.admitted.map { RecordedMedia($0, subtitles, at: transport.playhead) }
    }

    // MARK: Another source

    /// Takes over the state of the session that this one replaces. Opening the source and each command do so first.
    private func inherit() async { await succession.takeOver() }

    /// Ends this session's source and hands its player over to the session that replaces it.
    func handOver() async -> SessionSuccession.Inheritance {
        media.stop()
        let inheritance = await succession.handOver()
        await stop()
        return inheritance
    }

    // MARK: Ending

    package func setBudget(_ bytes: Int) async { await media.setBudget(bytes) }

    /// Ends the session at once: answers pending requests and releases threads.
    package func stop() async {
        transport.stopRenderer()
        await release()
    }

    private func release() async {
        // Before production ends: a clock that waits for a segment would take that for a failure.
        transport.stop()
        media.stop()
        let production = media.opened?.producer.end()
        parts.watch.stop()
        await software.end()
        software.stop()
        filters.stop()
        media.opener.interrupt()
        serving.shutDown()
        subtitles.interrupt()
        planning.stop()
        await production?.value
        await subtitles.stop()
        await media.close()
    }
}
