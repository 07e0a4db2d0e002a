// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Refreshes the sources of sessions. A refresh applies to every session that shares the source, and opens a source
/// again that could not be opened.
///
/// Thread-safety: safe.
struct SharedRefreshes: Sendable {
    private let hub: EventHub
    private let sessions: SessionDirectory
    private let keeping: SessionKeeping

    init(_ hub: EventHub, _ sessions: SessionDirectory, _ keeping: SessionKeeping) {
        (self.hub, self.sessions, self.keeping) = (hub, sessions, keeping)
    }

    /// Refreshes the source of a session. Returns once the journal has written the change, for every session that
    /// shares the source, or has failed to. A refresh whose task is cancelled before its server has answered changes
    /// nothing.
    ///
    /// - Parameter reopen: loads the session again from its record.
    /// - Returns: the state of the session after its own refresh. `nil` if the session has ended.
    func perform(
        _ refresh: SourceRefresh,
        on session: PlaybackSession,
        reopen: (SessionRecord) async throws(EngineError) -> SessionState
    ) async throws(EngineError) -> SessionState? {
        if let record = try await session.revival(by: refresh) { return try await reopen(record) }
        let interrupt = InterruptFlag()
        try await interrupting(by: { interrupt.raise() }) { () async throws(EngineError) in
            try await session.setup.attributed { () async throws(EngineError) in
                try await session.refresh(refresh, interrupt)
            }
        }
        let command = Command.source(.refresh(refresh))
        await keeping.keep(session, after: command)
        let state = hub.state(of: session.id)
        await share(session, after: command)
        return state
    }

    /// Has the other sessions follow the refresh of a source that they share with `session`.
    ///
    /// - Parameter command: the refresh.
    private func share(_ session: PlaybackSession, after command: Command) async {
        guard let refreshed = await session.refreshedSource else { return }
        for other in sessions.all where other !== session {
            let isShared = await CrashTag.$current.withValue(other.setup.tag) { await other.follow(refreshed) }
            if isShared { await keeping.keep(other, after: command) }
        }
    }
}
