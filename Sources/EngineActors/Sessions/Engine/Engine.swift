// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
package import EngineModel
internal import EngineRuntime
internal import Reading
package import Segments
internal import Stills

/// All sessions, and the service that clients call.
///
/// Never touches media itself. Owned by the process; called by the control plane and by the loopback routes.
package actor Engine: EngineService {
    nonisolated let configuration: EngineConfiguration
    nonisolated let hub = EventHub()
    private nonisolated let plans: PlanStore
    private nonisolated let inspector = SegmentInspector()
    nonisolated let stills = StillPool()
    nonisolated let desk = HandoverDesk()
    /// By URL token: read on every HTTP request, from outside the actor.
    nonisolated let byToken = Locked<[String: PlaybackSession]>([:])
    private nonisolated let known = Locked<[SessionID: PlaybackSession]>([:])
    var nextID = 1
    var nextRenderer: UInt64 = 0
    /// The number of audio taps of each session.
    var taps: [SessionID: Int] = [:]
    private var loads = AnswerMemory<Task<Result<SessionState, EngineError>, Never>>()
    var commands = AnswerMemory<Task<Result<CommandResult, EngineError>, Never>>()
    /// The part of a session's URL before the token, such as `http://127.0.0.1:8080`.
    private var baseURL = ""

    package init(configuration: EngineConfiguration) {
        self.configuration = configuration
        plans = PlanStore(directory: configuration.planDirectory)
    }

    /// Read by every command, from outside the actor; changed by the actor only.
    nonisolated private(set) var sessions: [SessionID: PlaybackSession] {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    // MARK: EngineService

    package func load(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        guard !request.requestID.isEmpty else { return try await loadNow(request) }
        let session = request.session?.rawValue ?? ""
        if let answer = loads.answer(to: request.requestID, of: session) { return try await Self.result(of: answer) }
        let answer = Task {
            do throws(EngineError) {
                return Result<SessionState, EngineError>.success(try await loadNow(request))
            } catch {
                loads.forget(request.requestID, of: session)
                return .failure(error)
            }
        }
        loads.remember(answer, to: request.requestID, of: session)
        return try await Self.result(of: answer)
    }

    /// Waits for work that runs in a task of its own. Cancelling the wait cancels the work.
    static func result<Value: Sendable>(
        of task: Task<Result<Value, EngineError>, Never>
    ) async throws(EngineError) -> Value {
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    private func loadNow(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        guard LoadOptions.segmentTargets.contains(request.options.segmentTarget) else {
            throw .invalid("options.segment_target_us", "must be 500000 … 60000000")
        }
        let (id, session) = try makeSession(for: request)
        await shareBudget()
        do throws(EngineError) {
            try await open(session)
            // The session is stopped or about to be: `open` finished before it noticed the cancellation.
            if Task.isCancelled { throw EngineError(.cancelled, "loading \(request.source) was cancelled") }
        } catch {
            try await give(up: session, because: error)
        }
        guard let state = hub.state(of: id), sessions[id] === session else {
            throw EngineError(.cancelled, "the session was stopped while it was loading")
        }
        return state
    }

    private func makeSession(for request: LoadRequest) throws(EngineError) -> (SessionID, PlaybackSession) {
        if request.session != nil {
            let (_, state) = try find(request.session)
            let record = SessionRecord(id: state.id, token: Self.makeToken(), request: request)
            return (state.id, replace(state, with: record))
        }
        guard sessions.count < configuration.sessionLimit else {
            throw EngineError(.resourceExhausted, "\(sessions.count) sessions are loaded, which is the limit")
        }
        let id = SessionID(rawValue: "\(nextID)")
        nextID += 1
        return (id, add(SessionRecord(id: id, token: Self.makeToken(), request: request), isRestored: false))
    }

    /// Cleans up after a failed load. A session that existed before the load stays, in the error phase. A session that
    /// the load created is removed. A session that now belongs to a later load is left alone.
    private func give(up session: PlaybackSession, because error: EngineError) async throws(EngineError) -> Never {
        guard sessions[session.id] === session else {
            throw EngineError(.cancelled, "superseded by another load or a stop")
        }
        guard session.setup.isReplacement else {
            await end(session.id, because: error)
            throw error
        }
        byToken.withLock { $0[session.token] = nil }
        await session.fail(opening: error)
        throw error
    }

    /// Replaces a session's source. The id stays, the token is new.
    private func replace(_ state: SessionState, with record: SessionRecord) -> PlaybackSession {
        let old = sessions[record.id]
        let session = PlaybackSession(
            record: record,
            origin: old.map { .replacing($0) } ?? .new,
            hub: hub,
            plans: plans,
            budget: share(of: sessions.count),
            settings: configuration.player
        )
        sessions[record.id] = session
        byToken.withLock { tokens in
            if let old { tokens[old.token] = nil }
            tokens[record.token] = session
        }
        let url = SessionURLs.master(baseURL, record.token)
        let anchor = PositionAnchor(
            position: max(.zero, record.position),
            rate: 0,
            monotonicNanoseconds: monotonicNanoseconds(),
            requestedRate: state.position.requestedRate
        )
        hub.reopen(record.id) { state in
            var new = SessionState(id: record.id, source: record.request.source, url: url, position: anchor)
            (new.volume, new.isMuted, new.isLooping) = (state.volume, state.isMuted, state.isLooping)
            new.renderer = state.renderer
            (new.adjustments, new.filters) = (state.adjustments, state.filters)
            new.overlays = state.overlays.map { PlacedOverlay(name: $0.name, rectangle: $0.rectangle, z: $0.z) }
            state = new
        }
        return session
    }

    /// Adds a session and publishes it to observers and players. The caller has yet to open it.
    func add(_ record: SessionRecord, isRestored: Bool) -> PlaybackSession {
        let session = PlaybackSession(
            record: record,
            origin: isRestored ? .restored(record) : .new,
            hub: hub,
            plans: plans,
            budget: share(of: sessions.count + 1),
            settings: configuration.player
        )
        sessions[record.id] = session
        let anchor = PositionAnchor(
            position: max(.zero, record.position),
            rate: 0,
            monotonicNanoseconds: monotonicNanoseconds(),
            requestedRate: record.rate
        )
        let url = SessionURLs.master(baseURL, record.token)
        var state = SessionState(id: record.id, source: record.request.source, url: url, position: anchor)
        if isRestored { state.revision = record.nextRevision }
        (state.volume, state.isMuted, state.isLooping) = (record.volume, record.isMuted, record.isLooping)
        state.show(record.treatment)
        hub.open(state)
        byToken.withLock { $0[record.token] = session }
        return session
    }

    /// Opens a session. Cancelling the task stops the session.
    private nonisolated func open(_ session: PlaybackSession) async throws(EngineError) {
        let result = await withTaskCancellationHandler {
            do throws(EngineError) {
                try await session.open()
                return Result<Void, EngineError>.success(())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            // A cancellation handler is synchronous; stopping is not.
            Task { await session.stop() }
        }
        try result.get()
    }

    package func state(of session: SessionID?) throws(EngineError) -> SessionState { try find(session).1 }

    package nonisolated func sessions() async -> (sessions: [SessionState], defaultSession: SessionID?) { hub.sessions }

    package nonisolated func probe(
        _ source: String,
        options: LoadOptions
    ) async throws(EngineError) -> MediaDescription {
        let demuxer = Demuxer(name: "probe")
        let result = await withTaskCancellationHandler {
            do throws(EngineError) {
                return Result<MediaDescription, EngineError>.success(
                    try await demuxer.describe(source, options: options)
                )
            } catch {
                return .failure(error)
            }
        } onCancel: {
            demuxer.interrupt()
        }
        await demuxer.close()
        return try result.get()
    }

    package nonisolated func inspect(segment bytes: [UInt8]) async throws(EngineError) -> SegmentReport {
        try await inspector.inspect(bytes)
    }

    package nonisolated func observe(_ observer: any EngineObserver) async { hub.add(observer) }

    // MARK: Serving

    /// Sets the base URL of the loopback routes, which is part of every session's URLs.
    package func serve(at baseURL: String) {
        self.baseURL = baseURL
        for session in sessions.values {
            let url = SessionURLs.master(baseURL, session.token)
            hub.update(session.id) { state in
                state.url = url
                if !state.coverArtURL.isEmpty { state.coverArtURL = SessionURLs.cover(besideMaster: url) }
                if !state.storyboardURL.isEmpty { state.storyboardURL = SessionURLs.storyboard(besideMaster: url) }
            }
        }
    }

    /// Whether `token` belongs to a session. Safe from any thread. The time it takes does not reveal how much of the
    /// token is correct.
    package nonisolated func isValid(token: String) -> Bool {
        byToken.withLock { tokens in
            var isFound = false
            for known in tokens.keys where Self.isEqual(known, token) { isFound = true }
            return isFound
        }
    }

    /// The resource at `path`, below `token`.
    package nonisolated func resource(token: String, path: String, query: String = "") async -> MediaResource {
        guard let session = byToken.withLock({ $0[token] }) else { return .notFound }
        return await session.resource(at: path, query: query)
    }

    /// Ends every session. The process is about to exit, so later loads do not matter.
    package func shutDown() async {
        stills.shutDown()
        for id in sessions.keys { await end(id, because: nil) }
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
        guard let session = sessions.removeValue(forKey: id) else { return }
        byToken.withLock { $0[session.token] = nil }
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
        for session in sessions.values { await session.setBudget(share(of: sessions.count)) }
    }

    private func share(of count: Int) -> Int { configuration.cacheBytes / max(1, count) }

    /// 160 random bits in hexadecimal.
    private static func makeToken() -> String {
        randomBytes(20).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    private static func isEqual(_ lhs: String, _ rhs: String) -> Bool {
        guard lhs.utf8.count == rhs.utf8.count else { return false }
        return zip(lhs.utf8, rhs.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
