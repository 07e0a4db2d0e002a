// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime

/// All sessions, and what can be asked of them.
///
/// Never touches media itself. Owned by the process; called by the control plane and by the loopback routes.
package actor Engine: EngineService {
    private nonisolated let configuration: EngineConfiguration
    private nonisolated let hub = EventHub()
    private nonisolated let plans: PlanStore
    private nonisolated let inspector = SegmentInspector()
    /// By URL token: read on every HTTP request, from outside the actor.
    private nonisolated let byToken = Locked<[String: PlaybackSession]>([:])
    private var sessions: [SessionID: PlaybackSession] = [:]
    private var nextID = 1
    /// What comes before the token in a session's URL, such as `http://127.0.0.1:8080`.
    private var baseURL = ""

    package init(configuration: EngineConfiguration) {
        self.configuration = configuration
        plans = PlanStore(directory: configuration.planDirectory)
    }

    // MARK: EngineService

    package func load(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        guard sessions.count < configuration.sessionLimit else {
            throw EngineError(.resourceExhausted, "\(sessions.count) sessions are loaded, which is the limit")
        }
        let target = request.options.segmentTarget
        guard target >= .seconds(0.5), target <= .seconds(60) else {
            throw EngineError(.invalidArgument, "segment_target_us must be 500000 … 60000000")
        }
        let id = SessionID(rawValue: "\(nextID)")
        nextID += 1
        let token = Self.makeToken()
        let url = "\(baseURL)/\(token)/master.m3u8"
        let session = PlaybackSession(
            id: id,
            token: token,
            request: request,
            hub: hub,
            plans: plans,
            budget: share(of: sessions.count + 1)
        )
        sessions[id] = session
        let now = PositionAnchor(
            position: max(.zero, request.startPosition),
            rate: 0,
            monotonicNanoseconds: monotonicNanoseconds(),
            requestedRate: 1
        )
        hub.open(SessionState(id: id, source: request.source, url: url, position: now))
        byToken.withLock { $0[token] = session }
        await shareBudget()
        do throws(EngineError) {
            try await open(session)
            // Stopped, or about to be: `open` was done before it could notice.
            if Task.isCancelled { throw EngineError(.cancelled, "nobody waits for \(request.source) any more") }
        } catch {
            await end(id, because: error)
            throw error
        }
        guard let state = hub.state(of: id) else {
            throw EngineError(.cancelled, "the session was stopped while it was loaded")
        }
        return state
    }

    /// Opens a session; a caller that goes away stops it.
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

    package func perform(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        let (session, state) = try find(request.session)
        if let revision = request.ifRevision, revision != state.revision {
            throw EngineError(
                .revisionConflict,
                "session \(state.id.rawValue) is at revision \(state.revision), not \(revision)"
            )
        }
        if case .stop = request.command {
            await end(state.id, because: nil)
            return CommandResult(state: state)
        }
        if case .opening = state.phase {
            throw EngineError(.unavailable, "session \(state.id.rawValue) is still being opened")
        }
        let isClamped = await session.perform(request.command)
        return CommandResult(state: hub.state(of: state.id) ?? state, isClamped: isClamped)
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
                    try await demuxer.describe(SourceFile.open(source), options: options)
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

    /// Says where the routes are served. Sessions loaded from now on carry it in their URL.
    package func serve(at baseURL: String) { self.baseURL = baseURL }

    /// Whether `token` names a session. Safe from any thread; the time it takes tells nothing of how much is right.
    package nonisolated func isValid(token: String) -> Bool {
        byToken.withLock { tokens in
            var isFound = false
            for known in tokens.keys where Self.isEqual(known, token) { isFound = true }
            return isFound
        }
    }

    /// The resource at `path` below `token`.
    package nonisolated func resource(token: String, path: String, query: String) async -> MediaResource {
        guard let session = byToken.withLock({ $0[token] }) else { return .notFound }
        return await session.resource(at: path, query: query)
    }

    /// Ends every session. The engine takes no more loads that matter; the process is about to end.
    package func shutDown() async {
        for id in sessions.keys { await end(id, because: nil) }
    }

    // MARK: Sessions

    private func find(_ id: SessionID?) throws(EngineError) -> (PlaybackSession, SessionState) {
        guard let state = hub.state(of: id), let session = sessions[state.id] else {
            throw EngineError(
                .sessionNotFound,
                id.map { "there is no session \($0.rawValue)" } ?? "no session is loaded"
            )
        }
        return (session, state)
    }

    private func end(_ id: SessionID, because error: EngineError?) async {
        guard let session = sessions.removeValue(forKey: id) else { return }
        byToken.withLock { $0[session.token] = nil }
        await session.stop()
        if let error {
            hub.update(id) { $0.phase = .error(error) }
        }
        hub.close(id, because: error)
        await shareBudget()
        returnFreeMemory()
    }

    /// Every session may use the same part of the cache.
    private func shareBudget() async {
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
