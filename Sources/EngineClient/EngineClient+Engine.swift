// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

// Typed methods of engine.v1.Engine. Each throws the engine's error, or a connection failure.
extension EngineClient {
    /// Opens a source. Returns once its playlists can be fetched. The state carries the session id and the URL.
    public func load(
        _ request: LoadRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> SessionState {
        let bytes = try await unary("/engine.v1.Engine/Load", request.framed(), timeout: timeout)
        return try read { () throws(EngineError) in try SessionState(loadResponse: bytes) }
    }

    /// Sends a command with all the options of a request. The engine answers a repeated request id as it did the first
    /// time.
    public func perform(
        _ request: CommandRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> CommandResult {
        let bytes = try await unary("/engine.v1.Engine/\(request.command.method)", request.framed(), timeout: timeout)
        return try read { () throws(EngineError) in try CommandResult(wire: bytes) }
    }

    /// The current state. It is never older than any state in an earlier response or event.
    ///
    /// - Parameter session: `nil` for the default session.
    /// - Parameter revision: the call fails with `revision_conflict` unless the session is at this revision.
    public func state(
        of session: SessionID? = nil,
        ifRevision revision: UInt64? = nil,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> SessionState {
        let request = CommandRequest(session: session, ifRevision: revision, command: .player(.play)).framed()
        let bytes = try await unary("/engine.v1.Engine/GetState", request, timeout: timeout)
        return try read { () throws(EngineError) in try SessionState(wire: bytes) }
    }

    /// All sessions in the order in which they were loaded, and which of them is the default.
    public func sessions(timeout: Duration? = nil) async throws(EngineClientError) -> SessionList {
        let bytes = try await unary("/engine.v1.Engine/ListSessions", ListSessionsRequest.framed(), timeout: timeout)
        return try read { () throws(EngineError) in try SessionList(wire: bytes) }
    }

    /// Describes a source without loading it, with the routes its streams would take under `options`.
    public func probe(
        _ source: String,
        options: LoadOptions = LoadOptions(),
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> MediaDescription {
        let request = ProbeRequest(source: source, options: options).framed()
        let bytes = try await unary("/engine.v1.Engine/Probe", request, timeout: timeout)
        return try read { () throws(EngineError) in try MediaDescription(wire: bytes) }
    }

    /// Decodes one fMP4 segment on its own.
    ///
    /// - Parameter chunks: the bytes of the init segment, then of the media segment, cut anywhere.
    public func inspectSegment(
        _ chunks: some AsyncSequence<[UInt8], Never>,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> SegmentReport {
        let call = await call("/engine.v1.Engine/InspectSegment", [], isComplete: false, timeout: timeout)
        for await chunk in chunks {
            for start in stride(from: 0, to: chunk.count, by: Self.chunkByteCount) {
                let end = min(chunk.count, start + Self.chunkByteCount)
                await call.send(SegmentChunk.framed(Array(chunk[start..<end])))
            }
        }
        call.sendEnd()
        let bytes = try await Self.onlyMessage(of: call)
        return try read { () throws(EngineError) in try SegmentReport(wire: bytes) }
    }

    /// The same for bytes that are already in memory.
    public func inspectSegment(
        _ bytes: [UInt8],
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> SegmentReport {
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield(bytes)
            continuation.finish()
        }
        return try await inspectSegment(chunks, timeout: timeout)
    }

    private static let chunkByteCount = 256 << 10

    /// Whether the engine is serving (`grpc.health.v1`).
    public func isServing(timeout: Duration? = nil) async throws(EngineClientError) -> Bool {
        let request = HealthMessages.framedRequest(service: "engine.v1.Engine")
        let bytes = try await unary("/grpc.health.v1.Health/Check", request, timeout: timeout)
        return try read { () throws(EngineError) in try HealthMessages.status(wire: bytes) } == .serving
    }

    func read<Value>(_ body: () throws(EngineError) -> Value) throws(EngineClientError) -> Value {
        do throws(EngineError) { return try body() } catch { throw EngineClientError(malformed: error) }
    }
}

extension Command {
    fileprivate var method: String {
        switch self {
        case .player(let command): command.method
        case .tracks(.selectAudio): "SelectAudio"
        case .tracks(.selectSubtitles): "SelectSubtitles"
        case .tracks(.addSubtitles): "AddSubtitles"
        case .tracks(.removeSubtitles): "RemoveSubtitles"
        case .output(.selectPath): "SelectPath"
        case .output(.setSoundOutput): "SetSoundOutput"
        case .filters(let command): command.method
        case .stop: "Stop"
        }
    }
}

extension PlayerCommand {
    fileprivate var method: String {
        switch self {
        case .play: "Play"
        case .pause: "Pause"
        case .seek: "Seek"
        case .setRate: "SetRate"
        case .setVolume: "SetVolume"
        case .setMuted: "SetMuted"
        case .setLooping: "SetLooping"
        case .skipChapter: "SkipChapter"
        }
    }
}
