// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

// Subtitle files and cues.
extension EngineClient {
    /// Adds a subtitle file to a session. Returns when the engine has read it; the result contains the ids of its
    /// tracks.
    public func addSubtitles(
        _ session: SessionID? = nil,
        _ sidecar: Sidecar
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .tracks(.addSubtitles(sidecar)))
    }

    /// Removes the subtitle file that a track belongs to.
    public func removeSubtitles(
        _ session: SessionID? = nil,
        track: Int
    ) async throws(EngineClientError) -> CommandResult {
        try await perform(session, .tracks(.removeSubtitles(track: track)))
    }

    /// Reads cues. Calls `receive` with each batch as it arrives.
    public func cues(
        _ request: CueRequest,
        receive: (CueBatch) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) {
        let call = await channel.call("/engine.v1.Engine/GetCues", request.framed(), timeout: nil)
        while let batch = try await call.next(CueBatch.init(wire:)) { try receive(batch) }
    }

    /// Makes the engine read the text in a bitmap subtitle track, and add it as a new track. Calls `receive` with each
    /// step.
    ///
    /// - Returns: the new track's id; `nil` if the last step has none.
    @discardableResult
    public func recognizeSubtitles(
        _ request: RecognitionRequest,
        receive: (RecognitionStep) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) -> Int? {
        let call = await channel.call("/engine.v1.Engine/RecognizeSubtitles", request.framed(), timeout: nil)
        var track: Int?
        while let step = try await call.next(RecognitionStep.init(wire:)) {
            track = step.track
            try receive(step)
        }
        return track
    }

    /// Makes the engine draw a subtitle track. Calls `receive` with each batch of pictures as it arrives. If `receive`
    /// is slow, the engine waits for it.
    public func drawSubtitles(
        _ request: DrawingRequest,
        receive: (DrawnBatch) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) {
        let call = await channel.call("/engine.v1.Engine/DrawSubtitles", request.framed(), timeout: nil)
        while let batch = try await call.next(DrawnBatch.init(wire:)) { try receive(batch) }
    }
}
