// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Stills

/// Answers requests for the stills of a session, or of a source that is not loaded.
struct StillQueries: Sendable {
    enum Place {
        case source(String, HTTPOptions, ProgramSelection)
        case session(PlaybackSession)
    }

    let place: Place
    let pool: StillPool

    /// Calls `body` with the stills. A crash meanwhile is attributed to the session, if there is one.
    func using<Value>(
        _ body: (SessionStills) async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        switch place {
        case .source(let source, let http, let program):
            return try await CrashTag.attribute(to: CrashTag.noSession) { () async throws(EngineError) in
                let extractor = try await pool.extractor(for: source, http, program: program)
                return try await body(SessionStills(extractor: extractor))
            }
        case .session(let session):
            return try await session.setup.attributed { () async throws(EngineError) in
                guard let subject = await session.stills() else {
                    throw EngineError(.unavailable, "session \(session.setup.id.rawValue) is not open")
                }
                return try await body(subject)
            }
        }
    }
}
