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
        try await channel.unary("Load", request.framed(), timeout: timeout, SessionState.init(loadResponse:))
    }

    /// Sends a command, optionally with a revision and a request id. A repeated request id gets the same answer again.
    public func perform(
        _ request: CommandRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> CommandResult {
        try await channel.unary(request.command.method, request.framed(), timeout: timeout, CommandResult.init(wire:))
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
        let request = StateRequest(session: session, ifRevision: revision).framed()
        return try await channel.unary("GetState", request, timeout: timeout, SessionState.init(wire:))
    }

    /// All sessions in the order in which they were loaded, and which of them is the default.
    public func sessions(timeout: Duration? = nil) async throws(EngineClientError) -> SessionList {
        try await channel.unary("ListSessions", ListSessionsRequest.framed(), timeout: timeout, SessionList.init(wire:))
    }

    /// Describes a source without loading it, with the routes its streams would take under `options`.
    public func probe(
        _ source: String,
        http: HTTPOptions = HTTPOptions(),
        options: LoadOptions = LoadOptions(),
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> MediaDescription {
        let request = ProbeRequest(source: source, http: http, options: options).framed()
        return try await channel.unary("Probe", request, timeout: timeout, MediaDescription.init(wire:))
    }

    /// Makes the engine decode one fMP4 segment and report what it contains.
    ///
    /// - Parameter chunks: the bytes of the init segment, then of the media segment, cut anywhere.
    public func inspectSegment(
        _ chunks: some AsyncSequence<[UInt8], Never>,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> SegmentReport {
        let call = await channel.call("/engine.v1.Engine/InspectSegment", [], isComplete: false, timeout: timeout)
        for await chunk in chunks {
            for start in stride(from: 0, to: chunk.count, by: Self.chunkByteCount) {
                let end = min(chunk.count, start + Self.chunkByteCount)
                await call.send(SegmentChunk.framed(Array(chunk[start..<end])))
            }
        }
        call.sendEnd()
        return try await call.only(SegmentReport.init(wire:))
    }

    /// Makes the engine decode one fMP4 segment whose bytes are already in memory.
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
        let call = await channel.call("/grpc.health.v1.Health/Check", request, timeout: timeout)
        return try await call.only(HealthMessages.status(wire:)) == .serving
    }
}

extension Command {
    /// The name of the RPC for the command.
    fileprivate var method: String {
        switch self {
        case .player(let command): command.method
        case .tracks(.selectAudio): "SelectAudio"
        case .tracks(.selectSubtitles): "SelectSubtitles"
        case .tracks(.addSubtitles): "AddSubtitles"
        case .tracks(.removeSubtitles): "RemoveSubtitles"
        case .source(.refresh): "RefreshSource"
        case .source(.selectProgram): "SelectProgram"
        case .output(.selectPath): "SelectPath"
        case .output(.setSoundOutput): "SetSoundOutput"
        case .recording(.start): "StartRecording"
        case .recording(.stop): "StopRecording"
        case .stepFrame: "StepFrame"
        case .filters(.adjust): "SetAdjustments"
        case .filters(.add): "AddFilter"
        case .filters(.remove): "RemoveFilter"
        case .filters(.clear): "ClearFilters"
        case .filters(.put): "PutOverlay"
        case .filters(.removeOverlay): "RemoveOverlay"
        case .filters(.clearOverlays): "ClearOverlays"
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
        case .setLoopPoints: "SetLoopPoints"
        case .setAudioDelay: "SetAudioDelay"
        case .setSubtitleDelay: "SetSubtitleDelay"
        case .skipChapter: "SkipChapter"
        }
    }
}
