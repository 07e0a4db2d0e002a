// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Reading
internal import Stills

extension Engine {
    package func still(_ request: StillRequest, arrival: UInt64) async throws(EngineError) -> Still {
        try await stills(of: request.source).using { subject throws(EngineError) in
            try await subject.extractor.still(request, arrival: arrival, plan: subject.plan)
        }
    }

    package func prewarm(_ source: StillSource) async throws(EngineError) {
        try await stills(of: source).using { subject throws(EngineError) in
            try await subject.extractor.warm(plan: subject.plan)
        }
    }

    package func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still {
        let count = request.columns * request.rows
        return try await stills(of: request.source).using { subject throws(EngineError) in
            try await subject.extractor.sheet(request, duration: subject.duration, plan: subject.plan) {
                progress($0, count)
            }
        }
    }

    private func stills(of source: StillSource) throws(EngineError) -> StillQueries {
        let place: StillQueries.Place =
            switch source {
            case .source(let source, let http, let program): .source(source, http, program)
            case .session(let id): .session(try find(id).0)
            }
        return StillQueries(place: place, pool: stills)
    }
}
