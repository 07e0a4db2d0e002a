// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineModel

/// A load whose tracks must exist. The engine itself falls back to other tracks, with a notice.
struct CheckedLoad {
    let client: EngineClient

    /// - Throws: if a track does not exist. A session that the load began is then ended; one that it replaced stays.
    func load(_ request: LoadRequest) async throws -> SessionState {
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
}

extension EngineClient {
    /// Ends a session that a command loaded only for itself, even if the command was cancelled.
    func endSession(_ session: SessionID) async {
        // In its own task, because this one may be cancelled. Errors are ignored: without an engine there is no session
        // to end.
        _ = await Task { try? await stop(session) }.value
    }
}
