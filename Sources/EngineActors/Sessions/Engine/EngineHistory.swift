// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Logging

/// The history of how far each source was played, if the engine keeps one.
///
/// Thread-safety: safe.
package struct EngineHistory: Sendable {
    /// `nil` if none is kept.
    let kept: PlaybackHistory?
    /// Whether loads resume where playback of their source stopped, unless the request says otherwise.
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

    /// Writes pending changes: the process is about to end.
    package func flush() async throws(EngineError) { try await kept?.flush() }

    /// The request; if it should resume, with the position where playback of its source stopped. If the history cannot
    /// be read, playback begins at the start.
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
