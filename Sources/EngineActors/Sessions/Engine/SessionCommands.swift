// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Performs the commands of clients. A change is in the journal before its command is answered.
///
/// Thread-safety: safe. Calls sessions without a hop to the engine's actor, which takes part only where sessions begin
/// or end.
struct SessionCommands: Sendable {
    private let hub: EventHub
    private let keeping: SessionKeeping
    private let recordings: Recordings
    private let refreshes: SharedRefreshes

    init(_ hub: EventHub, _ keeping: SessionKeeping, _ recordings: Recordings, _ refreshes: SharedRefreshes) {
        (self.hub, self.keeping, self.recordings, self.refreshes) = (hub, keeping, recordings, refreshes)
    }

    /// - Parameters:
    ///   - state: the state of the session when the command arrived.
    ///   - engine: begins and ends sessions.
    func perform(
        _ command: Command,
        on session: PlaybackSession,
        _ state: SessionState,
        by engine: Engine
    ) async throws(EngineError) -> CommandResult {
        func passed(
            _ body: () async throws(EngineError) -> CommandOutcome
        ) async throws(EngineError) -> CommandResult {
            let outcome = try await session.setup.attributed(body)
            await keeping.keep(session, after: command)
            return CommandResult(outcome, state: hub.state(of: state.id) ?? state)
        }
        switch command {
        case .source(.selectProgram(let selection)):
            let reload = try await session.reload(playing: selection, state)
            if let reload { return CommandResult(state: try await engine.load(reload)) }
            return CommandResult(state: state)
        case .source(.refresh(let refresh)):
            let refreshed = try await refreshes.perform(refresh, on: session) { session, record throws(EngineError) in
                try await engine.revive(session, from: record)
            }
            return CommandResult(state: refreshed ?? state)
        case .stop:
            await engine.end(state.id, because: nil)
            return CommandResult(state: state)
        case .player(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .tracks(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .output(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .filters(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .recording(let command):
            return try await passed { () async throws(EngineError) in
                try await recordings.perform(command, on: session)
            }
        case .stepFrame(let frames):
            return try await passed { () async throws(EngineError) in try await session.step(by: frames) }
        }
    }
}

extension CommandResult {
    fileprivate init(_ outcome: CommandOutcome, state: SessionState) {
        self.init(
            state: state,
            isClamped: outcome.isClamped,
            seekID: outcome.seek,
            addedSubtitles: outcome.addedSubtitles,
            addedFilter: outcome.addedFilter
        )
    }
}
