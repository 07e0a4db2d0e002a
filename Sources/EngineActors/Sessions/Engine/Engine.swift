// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Logging
internal import Reading
package import Segments
internal import Stills
internal import Subtitles

/// All sessions, and the service that clients call.
///
/// Never touches media itself. Owned by the process; called by the control plane and by the loopback routes.
package actor Engine: EngineService {
    nonisolated let hub = EventHub()
    nonisolated let inspector = CrashTag.$current.withValue(CrashTag.noSession) { SegmentInspector() }
    package nonisolated let servers: EngineSources
    nonisolated var sources: SourceOpener { servers.opener }
    nonisolated let stills: StillPool
    nonisolated let sessions = SessionDirectory()
    nonisolated let services: SessionServices
    package nonisolated let played: EngineHistory
    private let loads = RepeatedRequests<SessionState>()
    let commands = RepeatedRequests<CommandResult>()
    package nonisolated let keeping: SessionKeeping
    package nonisolated let caches: EngineCaches
    nonisolated let maker: SessionMaker

    /// - Parameter journal: keeps the sessions for the next process; `nil` keeps none.
    package init(configuration: EngineConfiguration, journal: SessionJournal? = nil) {
        keeping = SessionKeeping(journal: journal, hub: hub, sessions: sessions)
        servers = EngineSources(configuration, pause: journal?.pause ?? .zero)
        stills = StillPool(servers.opener)
        services = SessionServices(hub, sessions, keeping, servers.opener)
        played = EngineHistory(in: configuration.historyDirectory, resumes: configuration.resumes)
        if let kept = played.kept { hub.add(kept) }
        caches = EngineCaches(bytes: configuration.cacheBytes, sessions, servers.opener, stills)
        maker = SessionMaker(
            configuration: configuration,
            caches: caches,
            hub: hub,
            sessions: sessions,
            plans: PlanStore(directory: configuration.planDirectory),
            sources: servers.opener,
            journal: journal
        )
        servers.followNetwork(for: sessions)
    }

    // MARK: Loading

    package func load(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        try await loads.answer(request.requestID, of: request.session) { () async throws(EngineError) in
            try await self.loadNow(request)
        }
    }

    private func loadNow(_ request: LoadRequest) async throws(EngineError) -> SessionState {
        guard LoadOptions.segmentTargets.contains(request.options.segmentTarget) else {
            throw .invalid("options.segment_target_us", "must be 500000 … 60000000")
        }
        return try await begin(maker.session(for: await played.resumed(request)))
    }

    /// Reloads a session whose source could not be opened.
    ///
    /// - Parameter record: its record, as changed by a refresh.
    func revive(_ session: PlaybackSession, from record: SessionRecord) async throws(EngineError) -> SessionState {
        try await begin(maker.revive(session, from: record))
    }

    private func begin(_ session: PlaybackSession) async throws(EngineError) -> SessionState {
        await caches.share()
        // Before the source is opened: if opening it ends the process, the next process must know.
        await keeping.keep(session)
        do throws(EngineError) {
            try await maker.open(session)
            // `open` finished before it noticed the cancellation; the session is stopped or about to be.
            if Task.isCancelled {
                let source = SourceOpener.shown(session.setup.request.source)
                throw EngineError(.cancelled, "loading \(source) was cancelled")
            }
            await keeping.keep(session)
        } catch {
            try await giveUp(session, because: error)
        }
        guard let state = hub.state(of: session.id), sessions.lists(session) else {
            throw EngineError(.cancelled, "the session was stopped while it was loading")
        }
        return state
    }

    /// Cleans up after a failed load. A session that existed before the load remains, in the error phase. A session
    /// that the load created is removed. A session that now belongs to a later load is left alone.
    private func giveUp(_ session: PlaybackSession, because error: EngineError) async throws(EngineError) -> Never {
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

    // MARK: Restoring

    /// Restores the sessions of an earlier process, with their ids and URLs. Their sources are opened by the result, in
    /// the background. A session whose source cannot be opened remains, in the error phase: the disk or share may come
    /// back later. A source that ended the process too often is not opened; its session remains in the error phase too.
    ///
    /// - Parameter losses: what the journal could not read; published as a notice of each session.
    /// - Returns: opens the sources once the caller serves clients.
    package func restore(_ records: [SessionRecord], losses: [String] = []) async -> SessionRestoration {
        var lost: [SessionID] = []
        var restored: [(PlaybackSession, CrashHistory)] = []
        for record in records {
            guard sessions.count < maker.configuration.sessionLimit, sessions.isFree(record) else {
                lost.append(record.id)
                continue
            }
            sessions.reserve(record.id)
            restored.append((maker.add(record, isRestored: true), record.crashes))
            if !losses.isEmpty {
                hub.notice(record.id, Notice(.warning, "journal.damaged", losses.joined(separator: "; ")))
            }
        }
        // Before any source is opened: if one ends this process too, the next process must know.
        let kept = await keeping.keepAll()
        await keeping.journal?.takeOver(areRowsKept: kept.trouble == nil)
        await caches.share()
        let pause = keeping.journal?.pause ?? .zero
        let restoration = SessionRestoration(restored, lost: lost, in: sessions, after: pause)
        await restoration.giveUpBanned()
        for (session, _) in restored { await services.recordings.resume(session) }
        return restoration
    }

    // MARK: Serving

    /// Sets the base URL of the loopback routes, which is part of every session's URLs, and their port.
    package func serve(at baseURL: String, port: Int) {
        sources.exclude(ownPorts: [port])
        sessions.serve(at: baseURL)
        for session in sessions.all {
            let url = sessions.masterURL(session.token)
            hub.update(session.id) { $0.moveURLs(besideMaster: url) }
        }
    }

    /// Whether `token` belongs to a session, in a time that does not depend on the token. Safe from any thread.
    package nonisolated func isValid(token: String) -> Bool { sessions.isValid(token: token) }

    /// The resource at `path`, below `token`.
    package nonisolated func resource(token: String, path: String, query: String = "") async -> MediaResource {
        guard let session = sessions.session(token: token) else { return .notFound }
        return await CrashTag.$current.withValue(session.setup.tag) {
            await session.resource(at: path, query: query)
        }
    }

    /// Ends every session. The process is about to exit, so later loads do not matter.
    package func shutDown() async {
        stills.shutDown()
        await services.recordings.finish()
        // All sessions end at once: a session that is still playing would delay the end of the others.
        await withTaskGroup(of: Void.self) { group in
            for session in sessions.all.compactMap({ sessions.remove($0.id) }) {
                group.addTask { await self.close(session, because: nil) }
            }
        }
    }

    // MARK: Sessions

    nonisolated func find(_ id: SessionID?) throws(EngineError) -> (PlaybackSession, SessionState) {
        guard let state = hub.state(of: id), let session = sessions[state.id] else { throw .noSession(id) }
        return (session, state)
    }

    func end(_ id: SessionID, because error: EngineError?) async {
        guard let session = sessions.remove(id) else {
            // Another call ends the session; that may not be in the journal yet.
            await keeping.settleAll()
            return
        }
        await close(session, because: error)
        await caches.share()
        returnFreeMemory()
    }

    /// Ends a session that the directory no longer has.
    private func close(_ session: PlaybackSession, because error: EngineError?) async {
        await keeping.end(session)
        services.handovers.end(session.id)
        await session.stop()
        if let error {
            hub.update(session.id) { $0.phase = .error(error) }
        }
        hub.close(session.id, because: error)
    }
}
