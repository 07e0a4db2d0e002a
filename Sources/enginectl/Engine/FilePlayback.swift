// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineClient

/// Plays a file with the engine, in a session that ends with the playback.
struct FilePlayback {
    let client: EngineClient
    let output: SoundOutput
    let isRealTime: Bool

    func play(_ request: LoadRequest) async throws {
        let session = try await client.load(request).id
        do {
            if isRealTime {
                _ = try await client.setSoundOutput(session, output)
                _ = try await client.play(session)
                try await follow(session)
            } else {
                try await list(session)
            }
        } catch {
            await end(session)
            throw error
        }
        await end(session)
    }

    /// Playback without a real-time clock: only the reader of the frames, and the audio file if there is one, limit the
    /// speed.
    private func list(_ session: SessionID) async throws {
        let frames = try await client.attachFrames(FramesRequest(of: session, format: .source, pace: .everyFrame))
        defer { frames.close() }
        if output != .null { _ = try await client.setSoundOutput(session, output) }
        _ = try await client.play(session)
        try await withThrowingTaskGroup { group in
            group.addTask { try await PictureListing(frames: frames).write() }
            // Detects failures, after which no more frames arrive.
            group.addTask { try await follow(session) }
            // The first failure cancels the other tasks; `waitForAll` would wait for them.
            for try await _ in group {}
        }
    }

    /// Shows progress until playback ends.
    private func follow(_ session: SessionID) async throws {
        var progress = PlayProgress(isTerminal: Terminal.isErrorTerminal)
        defer { progress.end() }
        var model = WatchModel()
        let fields: StateFields = [.phase, .duration, .position, .statistics]
        let options = WatchOptions(.session(session), timeInterval: .seconds(0.25), fields: fields)
        for try await event in client.watch(options) {
            model.apply(event)
            if case .notice(_, let notice) = event { progress.show(notice) }
            if case .closed(_, let error?) = event { throw Failure(.failed, error.description) }
            guard let state = model.states.first else { continue }
            progress.show(state)
            if let error = state.phase.error { throw Failure(.failed, error.description) }
            if state.phase.name == .ended { return }
        }
    }

    /// Ends the session in a task of its own, because the current one may be cancelled. Errors are ignored: without an
    /// engine there is no session to end.
    private func end(_ session: SessionID) async {
        _ = await Task { try? await client.stop(session) }.value
    }
}
