// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Reading

/// Refreshes the sources of sessions. A refresh applies to every session that shares the source, and reopens a source
/// that could not be opened.
///
/// Thread-safety: safe.
struct SharedRefreshes: Sendable {
    private let hub: EventHub
    private let sessions: SessionDirectory
    private let keeping: SessionKeeping
    private let opener: SourceOpener
    private let queue = RefreshQueue()

    init(_ hub: EventHub, _ sessions: SessionDirectory, _ keeping: SessionKeeping, _ opener: SourceOpener) {
        (self.hub, self.sessions, self.keeping, self.opener) = (hub, sessions, keeping, opener)
    }

    /// Refreshes the source of a session. Returns once the journal has written the change for every session that shares
    /// the source, or has failed to write it. A refresh whose task is cancelled before its server has answered changes
    /// nothing.
    ///
    /// - Parameter reopen: reloads a session from its record.
    /// - Returns: the state of the session after its own refresh, or after a newer one that has replaced it. `nil` if
    ///   the session has ended.
    func perform(
        _ refresh: SourceRefresh,
        on session: PlaybackSession,
        reopen: @escaping @Sendable (PlaybackSession, SessionRecord) async throws(EngineError) -> SessionState
    ) async throws(EngineError) -> SessionState? {
        let request = await session.request()
        if let record = try await session.revival(by: refresh) {
            let state = try await reopen(session, record)
            await revive(thoseThatCouldNotOpen: request, besides: session, by: refresh, reopen)
            return state
        }
        let source = await session.openSource
        // A session whose source cannot be refreshed is called all the same: it throws the reason.
        let target = source.flatMap { opener.refreshTarget(of: $0) } ?? session
        let carriedOut = try await queue.perform(refresh, of: target) { interrupt throws(EngineError) in
            try await perform(refresh, on: session, with: source, interrupt)
        }
        guard let state = carriedOut else { return hub.state(of: session.id) }
        await revive(thoseThatCouldNotOpen: request, besides: session, by: refresh, reopen)
        return state
    }

    /// Reloads the other sessions that could not open the same source with the same options, e.g. because its URL had
    /// expired while the engine was down. Returns when they are open or have failed again, which their states show.
    ///
    /// - Parameter request: the request of the refreshed session before the refresh.
    private func revive(
        thoseThatCouldNotOpen request: LoadRequest,
        besides session: PlaybackSession,
        by refresh: SourceRefresh,
        _ reopen: @escaping @Sendable (PlaybackSession, SessionRecord) async throws(EngineError) -> SessionState
    ) async {
        await withDiscardingTaskGroup { group in
            for other in sessions.all where other.id != session.id {
                let failed = await other.request()
                guard (failed.source, failed.http) == (request.source, request.http) else { continue }
                group.addTask {
                    do throws(EngineError) {
                        if let record = try await other.revival(by: refresh) { _ = try await reopen(other, record) }
                    } catch {
                        // The state of that session has the error.
                    }
                }
            }
        }
    }

    private func perform(
        _ refresh: SourceRefresh,
        on session: PlaybackSession,
        with source: (any ByteSource)?,
        _ interrupt: InterruptFlag
    ) async throws(EngineError) -> SessionState? {
        try await session.setup.attributed { () async throws(EngineError) in
            try await session.refresh(refresh, interrupt)
        }
        let command = Command.source(.refresh(refresh))
        await keeping.keep(session, after: command)
        let state = hub.state(of: session.id)
        if let source { await share(source, of: session, after: command) }
        return state
    }

    /// Makes the other sessions that share a source with `session` follow the refresh of that source.
    ///
    /// - Parameter command: the refresh.
    private func share(_ source: any ByteSource, of session: PlaybackSession, after command: Command) async {
        for other in sessions.all where other !== session {
            let isShared = await CrashTag.$current.withValue(other.setup.tag) { await other.follow(source) }
            if isShared { await keeping.keep(other, after: command) }
        }
    }
}
