// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Reading

/// Makes the sessions of an engine and publishes them. Callers open them.
///
/// Thread-safety: belongs to the engine's actor.
struct SessionMaker: Sendable {
    let configuration: EngineConfiguration
    let caches: EngineCaches
    let hub: EventHub
    let sessions: SessionDirectory
    let plans: PlanStore
    let sources: SourceOpener
    let journal: SessionJournal?

    /// Makes the session for a load: a new one, or one that replaces the session that the request names.
    ///
    /// - Parameter now: in seconds since 1970.
    /// - Throws: `sourceCrashed` if the source has ended the engine too recently; `sessionNotFound`;
    ///   `resourceExhausted`.
    func session(
        for request: LoadRequest,
        at now: Int64 = wallClockSeconds()
    ) throws(EngineError) -> PlaybackSession {
        if request.session != nil {
            guard let state = hub.state(of: request.session), sessions[state.id] != nil else {
                throw .noSession(request.session)
            }
            let record = try record(state.id, request, at: now)
            return replace(state, with: record, sessions[record.id].map { .replacing($0) } ?? .new)
        }
        guard sessions.count < configuration.sessionLimit else {
            throw EngineError(.resourceExhausted, "\(sessions.count) sessions are loaded, which is the limit")
        }
        return add(try record(nil, request, at: now), isRestored: false)
    }

    /// The record of a new session. A source that has ended the process too often gets one more try.
    ///
    /// - Parameter id: `nil` for a new id.
    private func record(
        _ id: SessionID?,
        _ request: LoadRequest,
        at now: Int64
    ) throws(EngineError) -> SessionRecord {
        let bans = bans(of: request.source)
        if bans.contains(where: { $0.isPausing(at: now) }) {
            throw EngineError(
                .sourceCrashed,
                "\(SourceOpener.shown(request.source)) is not opened again yet",
                cause: "it ended the engine less than \(CrashHistory.pause) s ago"
            )
        }
        var record = SessionRecord(
            id: id ?? sessions.nextID(),
            token: SessionDirectory.makeToken(),
            request: request
        )
        if !bans.isEmpty { record.crashes = .lastTry(at: now) }
        return record
    }

    /// The crash histories of the sessions that are in the error phase because this source ended the process too often.
    private func bans(of source: String) -> [CrashHistory] {
        hub.sessions.sessions.filter(\.hasCrashed).compactMap { state in
            // The state shows a URL without its query.
            guard let setup = sessions[state.id]?.setup, setup.request.source == source else { return nil }
            return setup.record?.crashes ?? CrashHistory()
        }
    }

    /// Makes a session again from the record of one that failed to open its source.
    ///
    /// - Throws: `cancelled` if the session was stopped, or has another source by now.
    func revive(_ session: PlaybackSession, from record: SessionRecord) throws(EngineError) -> PlaybackSession {
        guard let state = hub.state(of: session.id), sessions.lists(session) else {
            throw EngineError(.cancelled, "superseded by another load or a stop")
        }
        return replace(state, with: record, .reviving(session))
    }

    /// Replaces a session's source. The id stays, the token is that of the record.
    private func replace(
        _ state: SessionState,
        with record: SessionRecord,
        _ origin: SessionOrigin
    ) -> PlaybackSession {
        let session = makeSession(record, origin, among: sessions.count)
        sessions.add(session)
        let new = SessionState(record, at: sessions.masterURL(record.token), rate: state.position.requestedRate)
        hub.reopen(record.id, session.setup.channel) { state in state = new.inheriting(from: state) }
        return session
    }

    /// Adds a session and publishes it to observers and players. The caller opens it.
    func add(_ record: SessionRecord, isRestored: Bool) -> PlaybackSession {
        let session = makeSession(record, isRestored ? .restored(record) : .new, among: sessions.count + 1)
        var state = SessionState(record, at: sessions.masterURL(record.token), rate: record.rate)
        if isRestored { state.revision = record.nextRevision }
        (state.volume, state.isMuted, state.isLooping) = (record.volume, record.isMuted, record.isLooping)
        state.loopPoints = record.loopPoints
        state.delay(by: record.delays)
        state.show(record.treatment)
        sessions.add(session)
        hub.open(state, session.setup.channel)
        return session
    }

    private func makeSession(
        _ record: SessionRecord,
        _ origin: SessionOrigin,
        among count: Int
    ) -> PlaybackSession {
        PlaybackSession(
            record: record,
            origin: origin,
            hub: hub,
            plans: plans,
            sources: sources,
            budget: caches.budget(among: count),
            settings: configuration.player,
            journal: journal
        )
    }

    /// Opens a session. Cancelling the task stops the session.
    func open(_ session: PlaybackSession) async throws(EngineError) {
        try await interrupting {
            // A cancellation handler is synchronous; stopping is not. Ends when the session has stopped.
            Task { await session.stop() }
        } _: { () async throws(EngineError) in
            try await session.setup.attributed { () async throws(EngineError) in try await session.open() }
        }
    }
}

extension EngineError {
    /// The error when the session that a request names does not exist, or when no session is loaded.
    static func noSession(_ id: SessionID?) -> EngineError {
        EngineError(.sessionNotFound, id.map { "session \($0.rawValue) does not exist" } ?? "no session is loaded")
    }
}

extension SessionState {
    /// Whether the session's source ended the process and is not opened automatically.
    fileprivate var hasCrashed: Bool {
        if case .error(let error) = phase { error.code == .sourceCrashed } else { false }
    }

    /// The state of a session whose source is not open yet.
    fileprivate init(_ record: SessionRecord, at url: String, rate: Double) {
        let anchor = PositionAnchor(
            position: max(.zero, record.position),
            rate: 0,
            monotonicNanoseconds: monotonicNanoseconds(),
            requestedRate: rate
        )
        self.init(id: record.id, source: SourceOpener.shown(record.request.source), url: url, position: anchor)
    }

    /// This state, with the parts of the replaced session's state that outlive its source.
    fileprivate func inheriting(from old: SessionState) -> SessionState {
        var new = self
        (new.volume, new.isMuted, new.isLooping) = (old.volume, old.isMuted, old.isLooping)
        new.renderer = old.renderer
        (new.adjustments, new.filters) = (old.adjustments, old.filters)
        new.overlays = old.overlays.map { PlacedOverlay(name: $0.name, rectangle: $0.rectangle, z: $0.z) }
        return new
    }
}
