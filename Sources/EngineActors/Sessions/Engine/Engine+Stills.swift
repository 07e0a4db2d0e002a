// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Reading
internal import Stills

extension Engine {
    package func still(_ request: StillRequest, arrival: UInt64) async throws(EngineError) -> Still {
        try await using(request.source) { subject throws(EngineError) in
            try await subject.extractor.still(request, arrival: arrival, plan: subject.plan)
        }
    }

    package func prewarm(_ source: StillSource) async throws(EngineError) {
        try await using(source) { subject throws(EngineError) in
            try await subject.extractor.warm(plan: subject.plan)
        }
    }

    package func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still {
        let count = request.columns * request.rows
        return try await using(request.source) { subject throws(EngineError) in
            try await subject.extractor.sheet(request, duration: subject.duration, plan: subject.plan) {
                progress($0, count)
            }
        }
    }

    /// Calls `body` with the stills of a source. A crash meanwhile is attributed to its session, if it has one.
    private func using<Value>(
        _ source: StillSource,
        _ body: (SessionStills) async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        switch source {
        case .source(let source, let http, let program):
            return try await CrashTag.attribute(to: CrashTag.noSession) { () async throws(EngineError) in
                let extractor = try await stills.extractor(for: source, http, program: program)
                return try await body(SessionStills(extractor: extractor))
            }
        case .session(let id):
            let (session, state) = try find(id)
            return try await session.setup.attributed { () async throws(EngineError) in
                guard let subject = await session.stills() else {
                    throw EngineError(.unavailable, "session \(state.id.rawValue) is not open")
                }
                return try await body(subject)
            }
        }
    }
}
