// SPDX-License-Identifier: Apache-2.0

package import EngineModel

// Pictures and sound for front-ends in other processes.
extension Engine {
    package func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        let video = state.media?.streams.lazy.compactMap(\.video).first
        let ring = try FrameRing(
            request,
            width: video?.width ?? 0,
            height: video?.height ?? 0,
            outlets: session.outlets
        )
        return try desk.issue(ring)
    }

    package func attachSound(_ request: SoundRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        guard session.outlets.sound.sink == nil else {
            throw EngineError(.rendererConflict, "somebody plays the sound of session \(state.id.rawValue) already")
        }
        let streams = state.media?.streams ?? []
        let selected = streams.first { $0.index == state.selectedAudio } ?? streams.first { $0.audio != nil }
        return try desk.issue(try SoundRing(request, source: selected?.audio, outlets: session.outlets))
    }

    package nonisolated func claim(_ ticket: HandoverTicket) -> (any Handover)? { desk.claim(ticket) }
}
