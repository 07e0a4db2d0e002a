// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

// Frames and audio of the software path, in memory shared by the engine (docs/frames.md).
extension EngineClient {
    /// Attaches to the frames of a session.
    ///
    /// - Throws: `failedPrecondition` while a renderer elsewhere drives the playhead, `unavailable` when the side
    ///   socket cannot be reached.
    public func attachFrames(
        _ request: FramesRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> AttachedFrames {
        try await AttachedFrames(
            channel.unary("AttachFrames", request.framed(), timeout: timeout, AttachmentAnswer.init(wire:))
        )
    }

    /// Attaches to the audio of a session: this front-end plays it from now on. Throws what `attachFrames` throws.
    public func attachAudio(
        _ request: AudioRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> AttachedAudio {
        try await AttachedAudio(
            channel.unary("AttachAudio", request.framed(), timeout: timeout, AttachmentAnswer.init(wire:))
        )
    }
}
