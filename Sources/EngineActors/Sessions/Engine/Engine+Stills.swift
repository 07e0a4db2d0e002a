// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Reading
internal import Stills

extension Engine {
    package func still(_ request: StillRequest, arrival: UInt64) async throws(EngineError) -> Still {
        let subject = try await subject(of: request.source)
        return try await subject.extractor.still(request, arrival: arrival, plan: subject.plan)
    }

    package func prewarm(_ source: StillSource) async throws(EngineError) {
        let subject = try await subject(of: source)
        try await subject.extractor.warm(plan: subject.plan)
    }

    package func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still {
        let subject = try await subject(of: request.source)
        let count = request.columns * request.rows
        return try await subject.extractor.sheet(request, duration: subject.duration, plan: subject.plan) {
            progress($0, count)
        }
    }

    private func subject(of source: StillSource) async throws(EngineError) -> SessionStills {
        switch source {
        case .source(let source, let http, let program):
            return SessionStills(extractor: try await stills.extractor(for: source, http, program: program))
        case .session(let id):
            let (session, state) = try find(id)
            guard let subject = await session.stills() else {
                throw EngineError(.unavailable, "session \(state.id.rawValue) is not open")
            }
            return subject
        }
    }
}
