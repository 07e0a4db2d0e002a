// SPDX-License-Identifier: Apache-2.0

internal import Decoding
package import EngineModel
internal import Reading
internal import Transfers

// Frames and audio for front-ends in other processes.
extension Engine {
    package func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        try await session.checkSinks()
        let video = state.media?.streams.lazy.compactMap(\.video).first
        let ring = try FrameRing(
            request,
            width: video?.width ?? 0,
            height: video?.height ?? 0,
            attacher: attacher(in: state.id)
        )
        return try handovers.issue(ring, of: state.id)
    }

    package func attachAudio(_ request: AudioRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        try await session.checkSinks()
        let streams = state.media?.streams ?? []
        let selected = streams.first { $0.index == state.selectedAudio } ?? streams.first { $0.audio != nil }
        let ring = try AudioRing(request, source: selected?.audio, attacher: attacher(in: state.id))
        return try handovers.issue(ring, of: state.id)
    }

    package nonisolated func registerSource() async throws(EngineError) -> SourceRegistration {
        let source = try sources.makeRegistered()
        return SourceRegistration(url: source.url, ticket: try handovers.issue(source))
    }

    package nonisolated func claim(_ ticket: HandoverTicket) -> (any Handover)? { handovers.claim(ticket) }

    /// Sinks stay attached when another source is loaded into the session, so the session is looked up each time.
    private nonisolated func attacher(in id: SessionID) -> SinkAttacher {
        SinkAttacher { [weak self] (sink) async throws(EngineError) in
            guard let self else { throw EngineError(.unavailable, "the engine is shutting down") }
            let (session, _) = try find(id)
            return try await session.setup.attributed { () async throws(EngineError) in
                switch sink {
                case .video(let sink): try await session.attach(.video(sink))
                case .audio(let sink): try await session.attach(.audio(sink))
                }
            }
        } detach: { [weak self] sink in
            // A session that is gone has no sinks.
            await self?.sessions[id]?.detach(sink: sink)
        }
    }
}
