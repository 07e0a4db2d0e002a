// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineClient
internal import EngineJSON

/// Plays a file with the engine, in a session that ends with the playback.
struct FilePlayback {
    let output: AudioOutput
    let isRealTime: Bool
    /// Whether stdout gets JSON: the events of the session or, without a real-time clock, the frames.
    let isJSON: Bool
    /// Whether the session is shown on the whole terminal.
    var isScreen = false
    /// Whether the loudness of the track is measured first.
    var measures = false

    func play(_ request: LoadRequest, on client: EngineClient) async throws {
        let session = try await CheckedLoad(client: client, measures: measures).load(request).id
        let result: Result<Void, any Error>
        do {
            try await run(session, on: client)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await client.endSession(session)
        try result.get()
    }

    private func run(_ session: SessionID, on client: EngineClient) async throws {
        guard isRealTime else { return try await list(session, on: client) }
        try await setOutput(of: session, on: client)
        if isScreen {
            return try await ScreenPlayback(session: session, client: client).run { _ = try await client.play(session) }
        }
        _ = try await client.play(session)
        try await followWithKeys(session, on: client)
    }

    /// - Throws: if a device cannot be opened, a failure that also suggests other outputs.
    private func setOutput(of session: SessionID, on client: EngineClient) async throws {
        do throws(EngineClientError) {
            _ = try await client.setSoundOutput(session, output)
        } catch {
            guard case .device = output, error.code == .unavailable else { throw error }
            let advice = "  --sink null plays without audio, --sink device:NAME on another device"
            throw Failure(.failed, "\(Failure(error).message)\n\(advice)")
        }
    }

    /// Plays without a real-time clock: only the reader of the frames, and the audio file if there is one, limit the
    /// speed.
    private func list(_ session: SessionID, on client: EngineClient) async throws {
        let frames = try await client.attachFrames(FramesRequest(of: session, format: .source, pace: .everyFrame))
        defer { frames.close() }
        if output != .null { try await setOutput(of: session, on: client) }
        _ = try await client.play(session)
        try await withThrowingTaskGroup { group in
            group.addTask { try await FrameListing(frames: frames, isJSON: isJSON).write() }
            // Detects failures, after which no more frames arrive.
            group.addTask { try await follow(session, on: client) }
            // The first failure cancels the other tasks; `waitForAll` would wait for them.
            for try await _ in group {}
        }
    }

    /// Shows progress until playback ends or the quit key is pressed.
    private func followWithKeys(_ session: SessionID, on client: EngineClient) async throws {
        guard Terminal.isErrorTerminal, let keyboard = Keyboard() else { return try await follow(session, on: client) }
        defer { keyboard.close() }
        let keys = keyboard.bytes
        try await withThrowingTaskGroup { group in
            group.addTask { try await follow(session, on: client) }
            group.addTask {
                try await KeyControl(client: client, session: session).run(
                    keys,
                    help: { KeyBinding.help.forEach(Terminal.writeError) },
                    note: { Terminal.writeError($0) }
                )
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Shows progress until playback ends.
    private func follow(_ session: SessionID, on client: EngineClient) async throws {
        var progress = PlayProgress(isTerminal: Terminal.isErrorTerminal)
        defer { progress.end() }
        var model = WatchModel()
        let fields: StateFields = [.phase, .duration, .position, .statistics, .settings, .subtitles]
        let options = WatchOptions(.session(session), timeInterval: .seconds(0.25), fields: fields)
        for try await event in client.watch(options) {
            model.apply(event)
            if isJSON, isRealTime { try Terminal.write(event.json.text) }
            if case .notice(_, let notice) = event { progress.show(notice) }
            if case .closed(_, let error?) = event { throw Failure(.failed, error.description) }
            guard let state = model.states.first else { continue }
            progress.show(state)
            if let error = state.phase.error { throw Failure(.failed, error.description) }
            if state.phase.name == .ended { return }
        }
    }
}
