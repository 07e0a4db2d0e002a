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

    private nonisolated func performNow(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        let (session, state) = try find(request.session)
        if let revision = request.ifRevision, revision != state.revision {
            throw EngineError(
                .revisionConflict,
                "session \(state.id.rawValue) is at revision \(state.revision), not \(revision)"
            )
        }
        return try await services.commands.perform(request.command, on: session, state, by: self)
    }
}
