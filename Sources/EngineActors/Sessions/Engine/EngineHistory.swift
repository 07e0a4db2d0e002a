// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Logging

/// How far sources were played, if the engine keeps a history.
///
/// Thread-safety: safe.
package struct EngineHistory: Sendable {
    /// `nil` if none is kept.
    let kept: PlaybackHistory?
    /// Whether loads that say nothing about it begin where their source was left.
    private let resumes: Bool

    /// - Parameter directory: `nil` keeps none.
    init(in directory: String?, resumes: Bool) {
        kept = directory.map { PlaybackHistory(directory: $0, logger: Logger(label: "history")) }
        self.resumes = resumes
    }

    func entries() async throws(EngineError) -> [HistoryEntry] { try await required().entries() }

    func clear(_ source: String?) async throws(EngineError) -> Int { try await required().clear(source) }

    private func required() throws(EngineError) -> PlaybackHistory {
        guard let kept else { throw EngineError(.unavailable, "this engine keeps no history of what was played") }
        return kept
    }

    /// Writes the history until the task is cancelled.
    package func run() async { await kept?.run() }

    /// Writes what is not written yet: the process is about to end.
    package func flush() async throws(EngineError) { try await kept?.flush() }

    /// The request with the position where its source was left, if it is to be resumed. If the history cannot be read,
    /// playback begins at the start.
    func resumed(_ request: LoadRequest) async -> LoadRequest {
        guard request.options.resumes ?? resumes, request.startPosition == .zero, let kept else { return request }
        var resumed = request
        do throws(EngineError) {
            let position = try await kept.position(of: request.source, playing: request.options.program)
            resumed.startPosition = position ?? .zero
        } catch {
            await kept.report(error)
        }
        return resumed
    }
}

extension Engine {
    package nonisolated func history() async throws(EngineError) -> [HistoryEntry] { try await played.entries() }

    package nonisolated func clearHistory(of source: String?) async throws(EngineError) -> Int {
        try await played.clear(source)
    }
}
