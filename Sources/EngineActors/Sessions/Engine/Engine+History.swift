// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// How far sources were played.
extension Engine {
    package nonisolated func history() async throws(EngineError) -> [HistoryEntry] { try await kept().entries() }

    package nonisolated func clearHistory(of source: String?) async throws(EngineError) -> Int {
        try await kept().clear(source)
    }

    private nonisolated func kept() throws(EngineError) -> PlaybackHistory {
        guard let history else { throw EngineError(.unavailable, "this engine keeps no history of what was played") }
        return history
    }

    /// Writes the history until the task is cancelled.
    package nonisolated func keepHistory() async { await history?.run() }

    /// Writes what is not written yet: the process is about to end.
    package nonisolated func finishHistory() async throws(EngineError) { try await history?.flush() }

    /// The request with the position where its source was left, if it is to be resumed. A history that cannot be read
    /// does not keep a source from being loaded: it begins at the start.
    nonisolated func resumed(_ request: LoadRequest) async -> LoadRequest {
        guard request.options.resumes ?? configuration.resumes, request.startPosition == .zero, let history else {
            return request
        }
        var resumed = request
        do throws(EngineError) {
            resumed.startPosition = try await history.position(of: request.source) ?? .zero
        } catch {
            await history.report(error)
        }
        return resumed
    }
}
