// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel

/// A load whose tracks must exist. The engine itself falls back to other tracks, with a notice.
struct CheckedLoad {
    let client: EngineClient
    /// Whether the loudness of the track is measured first. Progress is shown on stderr.
    let measures: Bool

    /// - Throws: if a track does not exist. A session that the load began is then ended; one that it replaced stays.
    func load(_ request: LoadRequest) async throws -> SessionState {
        if measures { try await measure(request) }
        let state = try await client.load(request)
        do throws(Failure) {
            if request.options.audio != .automatic { try TracksText(state: state).require(request.options.audio) }
            // A subtitle file on a server may be read after the load returns, and have the track.
            let mayComeLater = request.sidecars.contains { !$0.path.hasPrefix("/") && !$0.path.hasPrefix("file:") }
            if !mayComeLater { try SubtitlesText(state: state).require(request.options.subtitles) }
            return state
        } catch {
            if request.session == nil { await client.endSession(state.id) }
            throw error
        }
    }

    /// Measures the track that the source marks as its default, or the one that the request selects by its number.
    private func measure(_ request: LoadRequest) async throws {
        var wanted = LoudnessRequest(.source(request.source))
        if case .stream(let stream) = request.options.audio { wanted.stream = stream }
        wanted.http = request.http
        wanted.program = request.options.program
        var progress = ReadingProgress(isTerminal: Terminal.isErrorTerminal)
        defer { progress.end() }
        _ = try await client.measureLoudness(wanted) { progress.show($0.progress) }
    }
}

extension EngineClient {
    /// Ends a session that a command loaded only for itself, even if the command was cancelled.
    func endSession(_ session: SessionID) async {
        // In its own task, because this one may be cancelled. It ends with the answer to the call, or with the connection.
        // Errors are ignored: without an engine there is no session to end.
        _ = await Task { try? await stop(session) }.value
    }
}
