// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import IPC

// Pictures and sound of the software path, in memory that the engine shares (docs/frames.md).
extension EngineClient {
    /// Attaches to the pictures of a session.
    ///
    /// - Throws: `failedPrecondition` while a renderer elsewhere moves the playhead, `unavailable` when the side socket cannot be
    ///   reached.
    public func attachFrames(
        _ request: FramesRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> AttachedFrames {
        let bytes = try await unary("/engine.v1.Engine/AttachFrames", request.framed(), timeout: timeout)
        return try await AttachedFrames(try read { () throws(EngineError) in try AttachmentAnswer(wire: bytes) })
    }

    /// Attaches to the sound of a session: this front-end plays it from now on. Throws what `attachFrames` throws.
    public func attachSound(
        _ request: SoundRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> AttachedSound {
        let bytes = try await unary("/engine.v1.Engine/AttachAudio", request.framed(), timeout: timeout)
        return try await AttachedSound(try read { () throws(EngineError) in try AttachmentAnswer(wire: bytes) })
    }
}
