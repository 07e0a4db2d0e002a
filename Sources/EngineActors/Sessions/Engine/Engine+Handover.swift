// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Reading

// Frames and audio for front-ends in other processes.
extension Engine {
    package func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        return try await handovers.attachFrames(request, of: session, state)
    }

    package func attachAudio(_ request: AudioRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        return try await handovers.attachAudio(request, of: session, state)
    }

    package nonisolated func registerSource() async throws(EngineError) -> SourceRegistration {
        try handovers.register(sources.makeRegistered())
    }

    package nonisolated func claim(_ ticket: HandoverTicket) -> (any Handover)? { handovers.claim(ticket) }
}
