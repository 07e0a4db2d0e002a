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
        let session = add(SessionRecord(id: id, token: Self.makeToken(), request: request), isRestored: false)
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

    /// Has the sessions of an earlier process again, under their ids and URLs. Returns at once; each is opened by itself,
    /// and one that cannot be opened any more is closed with the reason.
    package func restore(_ records: [SessionRecord]) async {
        for record in records where sessions[record.id] == nil && record.token.utf8.count >= 32 {
            if let number = Int(record.id.rawValue) { nextID = max(nextID, number + 1) }
            let session = add(record, isRestored: true)
            Task {
                do throws(EngineError) { try await session.open() } catch { await end(record.id, because: error) }
            }
        }
        await shareBudget()
    }

    /// All that `restore` needs, in the order of loading.
    package func records() async -> [SessionRecord] {
        var records: [SessionRecord] = []
        for state in hub.sessions.sessions {
            guard let session = sessions[state.id] else { continue }
            if case .error = state.phase { continue }
            var record = await session.record()
            record.revision = state.revision
            records.append(record)
        }
        return records
    }

    /// Makes a session known to watchers and players. It is still to be opened.
    private func add(_ record: SessionRecord, isRestored: Bool) -> PlaybackSession {
        let session = PlaybackSession(
            record: record,
            isRestored: isRestored,
            hub: hub,
            plans: plans,
            budget: share(of: sessions.count + 1)
        )
        sessions[record.id] = session
        let anchor = PositionAnchor(
            position: max(.zero, record.position),
            rate: 0,
            monotonicNanoseconds: monotonicNanoseconds(),
            requestedRate: record.rate
        )
        let url = Self.url(baseURL, record.token)
        var state = SessionState(id: record.id, source: record.request.source, url: url, position: anchor)
        if isRestored { state.revision = record.nextRevision }
        hub.open(state)
        byToken.withLock { $0[record.token] = session }
        return session
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

    /// Says where the routes are served: sessions carry it in their URL.
    package func serve(at baseURL: String) {
        self.baseURL = baseURL
        for session in sessions.values {
            let url = Self.url(baseURL, session.token)
            hub.update(session.id) { $0.url = url }
        }
    }

    private static func url(_ base: String, _ token: String) -> String { "\(base)/\(token)/master.m3u8" }

    /// Whether `token` names a session. Safe from any thread; the time it takes tells nothing of how much is right.
    package nonisolated func isValid(token: String) -> Bool {
        byToken.withLock { tokens in
            var isFound = false
            for known in tokens.keys where Self.isEqual(known, token) { isFound = true }
            return isFound
        }
    }

    /// The resource at `path` below `token`.
    package nonisolated func resource(token: String, path: String, query: String = "") async -> MediaResource {
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
