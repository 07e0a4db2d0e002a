// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
package import EngineModel
internal import EngineRuntime
internal import Logging
internal import Reading
package import Segments
internal import Stills
internal import Transfers

/// All sessions, and the service that clients call.
///
/// Never touches media itself. Owned by the process; called by the control plane and by the loopback routes.
package actor Engine: EngineService {
    nonisolated let configuration: EngineConfiguration
    nonisolated let hub = EventHub()
    private nonisolated let plans: PlanStore
    private nonisolated let inspector = SegmentInspector()
    /// All HTTP transfers of the engine.
    private nonisolated let servers: HTTPSources
    nonisolated let sources: SourceOpener
    nonisolated let stills: StillPool
    nonisolated let desk = HandoverDesk()
    nonisolated let sessions = SessionDirectory()
    /// The number of audio taps of each session.
    nonisolated let taps = Locked<[SessionID: Int]>([:])
    /// `nil` if none is kept.
    nonisolated let history: PlaybackHistory?
    private let loads = RepeatedRequests<SessionState>()
    let commands = RepeatedRequests<CommandResult>()
    package nonisolated let keeping: SessionKeeping

    /// - Parameter journal: keeps the sessions for the next process; `nil` keeps none.
    package init(configuration: EngineConfiguration, journal: SessionJournal? = nil) {
        self.configuration = configuration
        keeping = SessionKeeping(journal: journal, hub: hub, sessions: sessions)
        plans = PlanStore(directory: configuration.planDirectory)
        servers = HTTPSources(configuration.network)
        sources = SourceOpener(servers: servers)
        stills = StillPool(sources)
        history = configuration.historyDirectory.map {
            PlaybackHistory(directory: $0, logger: Logger(label: "history"))
        }
        if let history { hub.add(history) }
    }

    // MARK: EngineService

    package func load(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        try await loads.answer(request.requestID, of: request.session) { () async throws(EngineError) in
            try await self.loadNow(request)
        }
    }

    private func loadNow(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        guard LoadOptions.segmentTargets.contains(request.options.segmentTarget) else {
            throw .invalid("options.segment_target_us", "must be 500000 … 60000000")
        }
        let replaced = request.session.flatMap { sessions[$0] }
        let (id, session) = try makeSession(for: await resumed(request))
        await shareBudget()
        // Before its source is opened: if that ends the process, the next one knows.
        await keeping.keep(session)
        keeping.replaced(replaced)
        do throws(EngineError) {
            try await open(session)
            // The session is stopped or about to be: `open` finished before it noticed the cancellation.
            if Task.isCancelled {
                throw EngineError(.cancelled, "loading \(SourceOpener.shown(request.source)) was cancelled")
            }
            await keeping.keep(session)
        } catch {
            try await give(up: session, because: error)
        }
        guard let state = hub.state(of: id), sessions.lists(session) else {
            throw EngineError(.cancelled, "the session was stopped while it was loading")
        }
        return state
    }

    private func makeSession(for request: LoadRequest) throws(EngineError) -> (SessionID, PlaybackSession) {
        if request.session != nil {
            let (_, state) = try find(request.session)
            return (state.id, replace(state, with: record(state.id, request)))
        }
        guard sessions.count < configuration.sessionLimit else {
            throw EngineError(.resourceExhausted, "\(sessions.count) sessions are loaded, which is the limit")
        }
        let id = sessions.nextID()
        return (id, add(record(id, request), isRestored: false))
    }

    /// The record of a session that is yet to begin. A source that is banned gets one try.
    private func record(_ id: SessionID, _ request: LoadRequest) -> SessionRecord {
        var record = SessionRecord(id: id, token: SessionDirectory.makeToken(), request: request)
        let isBanned = hub.sessions.sessions.contains { $0.source == request.source && $0.hasCrashed }
        if isBanned { record.crashes = .lastTry(at: wallClockSeconds()) }
        return record
    }

    /// Cleans up after a failed load. A session that existed before the load stays, in the error phase. A session that
    /// the load created is removed. A session that now belongs to a later load is left alone.
    private func give(up session: PlaybackSession, because error: EngineError) async throws(EngineError) -> Never {
        guard sessions.lists(session) else {
            throw EngineError(.cancelled, "superseded by another load or a stop")
        }
        guard session.setup.isReplacement else {
            await end(session.id, because: error)
            throw error
        }
        sessions.hide(session)
        await session.fail(opening: error)
        await keeping.keep(session)
        throw error
    }

    /// Replaces a session's source. The id stays, the token is new.
    private func replace(_ state: SessionState, with record: SessionRecord) -> PlaybackSession {
        let session = makeSession(record, sessions[record.id].map { .replacing($0) } ?? .new, among: sessions.count)
        sessions.add(session)
        let new = SessionState(record, at: sessions.masterURL(record.token), rate: state.position.requestedRate)
        hub.reopen(record.id) { state in state = new.inheriting(from: state) }
        return session
    }

    /// Adds a session and publishes it to observers and players. The caller has yet to open it.
    func add(_ record: SessionRecord, isRestored: Bool) -> PlaybackSession {
        let session = makeSession(record, isRestored ? .restored(record) : .new, among: sessions.count + 1)
        var state = SessionState(record, at: sessions.masterURL(record.token), rate: record.rate)
        if isRestored { state.revision = record.nextRevision }
        (state.volume, state.isMuted, state.isLooping) = (record.volume, record.isMuted, record.isLooping)
        state.loopPoints = record.loopPoints
        state.delay(by: record.delays)
        state.show(record.treatment)
        sessions.add(session)
        hub.open(state)
        return session
    }

    private func makeSession(
        _ record: SessionRecord,
        _ origin: PlaybackSession.Origin,
        among count: Int
    ) -> PlaybackSession {
        PlaybackSession(
            record: record,
            origin: origin,
            hub: hub,
            plans: plans,
            sources: sources,
            budget: share(of: count),
            settings: configuration.player,
            journal: keeping.journal
        )
    }

    /// Opens a session. Cancelling the task stops the session.
    private nonisolated func open(_ session: PlaybackSession) async throws(EngineError) {
        try await interrupting {
            // A cancellation handler is synchronous; stopping is not. Ends when the session has stopped.
            Task { await session.stop() }
        } _: { () async throws(EngineError) in
            try await session.setup.attributed { () async throws(EngineError) in try await session.open() }
        }
    }

    package func state(of session: SessionID?) throws(EngineError) -> SessionState { try find(session).1 }

    package nonisolated func sessions() async -> (sessions: [SessionState], defaultSession: SessionID?) { hub.sessions }

    package nonisolated func probe(
        _ source: String,
        options: LoadOptions
    ) async throws(EngineError) -> MediaDescription {
        let demuxer = Demuxer(name: "probe", opener: sources)
        return try await interrupting(by: demuxer.interrupt) { () async throws(EngineError) in
            try await demuxer.describe(source, options: options)
        }
    }

    package nonisolated func inspect(segment bytes: [UInt8]) async throws(EngineError) -> SegmentReport {
        try await inspector.inspect(bytes)
    }

    package nonisolated func observe(_ observer: any EngineObserver) async { hub.add(observer) }

    /// The traffic of all sources on servers.
    package nonisolated var sourceTraffic: SourceTraffic { servers.traffic }

    // MARK: Serving

    /// Sets the base URL of the loopback routes, which is part of every session's URLs, and their port.
    package func serve(at baseURL: String, port: Int) {
        servers.exclude(ownPorts: [port])
        sessions.serve(at: baseURL)
        for session in sessions.all {
            let url = sessions.masterURL(session.token)
            hub.update(session.id) { state in
                state.url = SessionURLs.master(url, delayedBy: state.delays)
                if !state.coverArtURL.isEmpty { state.coverArtURL = SessionURLs.cover(besideMaster: url) }
                if !state.storyboardURL.isEmpty { state.storyboardURL = SessionURLs.storyboard(besideMaster: url) }
            }
        }
    }

    /// Whether `token` belongs to a session. Safe from any thread. The time it takes does not reveal how much of the
    /// token is correct.
    package nonisolated func isValid(token: String) -> Bool { sessions.isValid(token: token) }

    /// The resource at `path`, below `token`.
    package nonisolated func resource(token: String, path: String, query: String = "") async -> MediaResource {
        guard let session = sessions.session(token: token) else { return .notFound }
        return await CrashTag.$current.withValue(session.setup.slot?.tag ?? 0) {
            await session.resource(at: path, query: query)
        }
    }

    /// Ends every session. The process is about to exit, so later loads do not matter.
    package func shutDown() async {
        stills.shutDown()
        for session in sessions.all { await end(session.id, because: nil) }
    }

    // MARK: Sessions

    nonisolated func find(_ id: SessionID?) throws(EngineError) -> (PlaybackSession, SessionState) {
        guard let state = hub.state(of: id), let session = sessions[state.id] else {
            throw EngineError(
                .sessionNotFound,
                id.map { "session \($0.rawValue) does not exist" } ?? "no session is loaded"
            )
        }
        return (session, state)
    }

    func end(_ id: SessionID, because error: EngineError?) async {
        guard let session = sessions.remove(id) else { return }
        await keeping.end(session)
        desk.end(id)
        await session.stop()
        if let error {
            hub.update(id) { $0.phase = .error(error) }
        }
        hub.close(id, because: error)
        await shareBudget()
        returnFreeMemory()
    }

    /// Gives every session an equal share of the cache.
    func shareBudget() async {
        for session in sessions.all { await session.setBudget(share(of: sessions.count)) }
    }

    private func share(of count: Int) -> Int { configuration.cacheBytes / max(1, count) }
}

extension SessionState {
    /// Whether its source ended the process, and is not opened by itself.
    fileprivate var hasCrashed: Bool {
        if case .error(let error) = phase { error.code == .sourceCrashed } else { false }
    }

    /// The state of a session whose source is yet to be opened.
    fileprivate init(_ record: SessionRecord, at url: String, rate: Double) {
        let anchor = PositionAnchor(
            position: max(.zero, record.position),
            rate: 0,
            monotonicNanoseconds: monotonicNanoseconds(),
            requestedRate: rate
        )
        self.init(id: record.id, source: SourceOpener.shown(record.request.source), url: url, position: anchor)
    }

    /// This state, with what outlives the source of the session that is replaced.
    fileprivate func inheriting(from old: SessionState) -> SessionState {
        var new = self
        (new.volume, new.isMuted, new.isLooping) = (old.volume, old.isMuted, old.isLooping)
        new.renderer = old.renderer
        (new.adjustments, new.filters) = (old.adjustments, old.filters)
        new.overlays = old.overlays.map { PlacedOverlay(name: $0.name, rectangle: $0.rectangle, z: $0.z) }
        return new
    }
}
