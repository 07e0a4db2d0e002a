// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension FakeEngineService {
    /// A picture of one byte, shown at the time that was asked for.
    package func still(_ request: StillRequest) async throws(EngineError) -> Still {
        Still(bytes: [1], format: request.style.format, width: 1, height: 1, time: request.time)
    }

    package func prewarm(_ source: StillSource) async throws(EngineError) {}

    package func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still {
        let count = request.columns * request.rows
        for done in 1...max(1, count) { progress(done, count) }
        return Still(bytes: [1], format: request.style.format, width: 1, height: 1, time: .zero)
    }
}
