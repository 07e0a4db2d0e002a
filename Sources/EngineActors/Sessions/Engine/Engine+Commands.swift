// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

// Commands from clients.
extension Engine {
    package nonisolated func perform(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        request.requestID.isEmpty ? try await performNow(request) : try await performOnce(request)
    }

    private func performOnce(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        try await commands.answer(request.requestID, of: request.session) { () async throws(EngineError) in
            try await self.performNow(request)
        }
    }

    /// Calls the session without a hop to this actor, which takes part only in `stop` and `selectProgram`.
    private nonisolated func performNow(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        let (session, state) = try find(request.session)
        if let revision = request.ifRevision, revision != state.revision {
            throw EngineError(
                .revisionConflict,
                "session \(state.id.rawValue) is at revision \(state.revision), not \(revision)"
            )
        }
        func passed(
            _ body: () async throws(EngineError) -> CommandOutcome
        ) async throws(EngineError) -> CommandResult {
            let outcome = try await session.setup.attributed(body)
            await keeping.keep(session, after: request.command)
            return CommandResult(outcome, state: hub.state(of: state.id) ?? state)
        }
        switch request.command {
        case .source(.selectProgram(let selection)):
            let reload = try await session.reload(playing: selection, state)
            if let reload { return CommandResult(state: try await load(reload)) }
            return CommandResult(state: state)
        case .stop:
            await end(state.id, because: nil)
            return CommandResult(state: state)
        case .player(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .tracks(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .output(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .filters(let command):
            return try await passed { () async throws(EngineError) in try await session.perform(command) }
        case .source(.refresh(let refresh)):
            if let state = try await revive(session, by: refresh) { return CommandResult(state: state) }
            let result = try await passed { () async throws(EngineError) in try await session.refresh(refresh) }
            await share(session, after: request.command)
            return result
        case .recording(let command):
            return try await passed { () async throws(EngineError) in
                try await followers.recordings.perform(command, on: session)
            }
        case .stepFrame(let frames):
            return try await passed { () async throws(EngineError) in try await session.step(by: frames) }
        }
    }
}

extension Engine {
    /// Has the other sessions follow the refresh of a source that they share with `session`.
    ///
    /// - Parameter command: the refresh.
    private nonisolated func share(_ session: PlaybackSession, after command: Command) async {
        guard let refreshed = await session.refreshedSource else { return }
        for other in sessions.all where other !== session {
            let isShared = await CrashTag.$current.withValue(other.setup.tag) { await other.follow(refreshed) }
            if isShared { await keeping.keep(other, after: command) }
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
