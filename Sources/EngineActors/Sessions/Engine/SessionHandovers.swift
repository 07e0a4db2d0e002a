// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import EngineModel
internal import Transfers

/// Issues the handovers through which front-ends in other processes get the frames and the audio of sessions, or
/// provide sources.
///
/// Thread-safety: safe.
final class SessionHandovers: Sendable {
    private let sessions: SessionDirectory
    private let registry = HandoverRegistry()

    init(_ sessions: SessionDirectory) { self.sessions = sessions }

    /// - Parameter state: the state of the session.
    func attachFrames(
        _ request: FramesRequest,
        of session: PlaybackSession,
        _ state: SessionState
    ) async throws(EngineError) -> HandoverTicket {
        try await session.checkSinks()
        let video = state.media?.streams.lazy.compactMap(\.video).first
        let ring = try FrameRing(
            request,
            width: video?.width ?? 0,
            height: video?.height ?? 0,
            attacher: attacher(in: state.id)
        )
        return try registry.issue(ring, of: state.id)
    }

    /// - Parameter state: the state of the session.
    func attachAudio(
        _ request: AudioRequest,
        of session: PlaybackSession,
        _ state: SessionState
    ) async throws(EngineError) -> HandoverTicket {
        try await session.checkSinks()
        let streams = state.media?.streams ?? []
        let selected = streams.first { $0.index == state.selectedAudio } ?? streams.first { $0.audio != nil }
        let ring = try AudioRing(request, source: selected?.audio, attacher: attacher(in: state.id))
        return try registry.issue(ring, of: state.id)
    }

    func register(_ source: SourceHandover) throws(EngineError) -> SourceRegistration {
        SourceRegistration(url: source.url, ticket: try registry.issue(source))
    }

    func claim(_ ticket: HandoverTicket) -> (any Handover)? { registry.claim(ticket) }

    /// Ends all handovers of a session that has ended.
    func end(_ session: SessionID) { registry.end(session) }

    /// Sinks stay attached when another source is loaded into the session, so the session is looked up each time. The
    /// directory is held weakly, because sessions own their sinks, which own these closures.
    private func attacher(in id: SessionID) -> SinkAttacher {
        SinkAttacher { [weak sessions] (sink) async throws(EngineError) in
            guard let sessions else { throw EngineError(.unavailable, "the engine is shutting down") }
            guard let session = sessions[id] else { throw .noSession(id) }
            return try await session.setup.attributed { () async throws(EngineError) in
                switch sink {
                case .video(let sink): try await session.attach(.video(sink))
                case .audio(let sink): try await session.attach(.audio(sink))
                }
            }
        } detach: { [weak sessions] sink in
            // A session that is gone has no sinks.
            await sessions?[id]?.detach(sink: sink)
        }
    }
}
