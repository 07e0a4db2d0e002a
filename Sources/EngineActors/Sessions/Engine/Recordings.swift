// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// The recordings of all sessions: at most one for each.
///
/// Thread-safety: safe.
final class Recordings: Sendable {
    private struct Running {
        let recorder: Recorder
        /// `nil` while the recording begins.
        var task: Task<Void, Never>?
    }

    private let hub: EventHub
    private let sessions: SessionDirectory
    private let keeping: SessionKeeping
    private let running = Locked<[SessionID: Running]>([:])

    init(_ hub: EventHub, _ sessions: SessionDirectory, _ keeping: SessionKeeping) {
        (self.hub, self.sessions, self.keeping) = (hub, sessions, keeping)
    }

    func perform(_ command: RecordingCommand, on session: PlaybackSession) async throws(EngineError) -> CommandOutcome {
        switch command {
        case .start(let request): try await start(request, of: session)
        case .stop:
            guard let running = running.withLock({ $0[session.id] }), let task = running.task else {
                throw EngineError(.recordingFailed, "session \(session.id.rawValue) is not being recorded")
            }
            await running.recorder.stop()
            await task.value
        }
        return CommandOutcome()
    }

    private func start(_ request: RecordingRequest, of session: PlaybackSession) async throws(EngineError) {
        guard let path = FilePath(text: request.path), path.isAbsolute, path.bytes.last != UInt8(ascii: "/") else {
            throw .invalid("path", "must be the absolute path of a file")
        }
        let recorder = recorder(request, path, session)
        guard add(recorder, of: session.id) else {
            throw EngineError(.resourceExhausted, "session \(session.id.rawValue) is already being recorded")
        }
        do throws(EngineError) {
            try await recorder.begin()
        } catch {
            running.withLock { $0[session.id] = nil }
            throw error
        }
        run(recorder, of: session)
    }

    /// Continues the recording of a restored session, once its source is open.
    func resume(_ session: PlaybackSession) async {
        guard let text = session.setup.record?.recordingPath, let path = FilePath(text: text) else { return }
        let recorder = recorder(RecordingRequest(path: text), path, session)
        guard add(recorder, of: session.id) else { return }
        await recorder.resume()
        run(recorder, of: session)
    }

    /// Ends all recordings, and returns once their files are complete.
    func finish() async {
        let all = running.withLock { Array($0.values) }
        // All are stopped before any is waited for, because each may wait for its source for a while.
        for running in all { await running.recorder.stop() }
        for running in all { await running.task?.value }
    }

    private func recorder(_ request: RecordingRequest, _ path: FilePath, _ session: PlaybackSession) -> Recorder {
        Recorder(request, path, of: .init(session: session, hub: hub) { [sessions] in sessions.lists(session) })
    }

    private func add(_ recorder: Recorder, of session: SessionID) -> Bool {
        running.withLock { running in
            guard running[session] == nil else { return false }
            running[session] = Running(recorder: recorder)
            return true
        }
    }

    private func run(_ recorder: Recorder, of session: PlaybackSession) {
        // Ends with the recording.
        let task = Task { [running, keeping, sessions] in
            await recorder.run()
            running.withLock { $0[session.id] = nil }
            // Another source may have been loaded into the session.
            if let current = sessions[session.id] { await keeping.keep(current) }
        }
        running.withLock { $0[session.id]?.task = task }
    }
}
