// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

// The audio of a session, for clients that process it without playing it.
extension EngineClient {
    /// Receives decoded audio until the session ends, or, if the tap is not paced, until the source ends. Calls
    /// `receive` with each piece as it arrives. If `receive` is too slow for a paced tap, the engine skips audio;
    /// without pacing, it waits.
    public func tap(
        _ request: AudioTapRequest,
        receive: (TappedAudio) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) {
        let call = await channel.call("/engine.v1.Engine/TapAudio", request.framed(), timeout: nil)
        while let piece = try await call.next(TappedAudio.init(wire:)) { try receive(piece) }
    }

    /// Makes the engine measure the loudness of an audio track. Calls `receive` with each step.
    ///
    /// - Returns: the last step, which has the result; `nil` if the engine sent no step.
    public func measureLoudness(
        _ request: LoudnessRequest,
        receive: (LoudnessStep) throws(EngineClientError) -> Void = { _ in }
    ) async throws(EngineClientError) -> LoudnessStep? {
        let call = await channel.call("/engine.v1.Engine/MeasureLoudness", request.framed(), timeout: nil)
        var last: LoudnessStep?
        while let step = try await call.next(LoudnessStep.init(wire:)) {
            last = step
            try receive(step)
        }
        return last
    }
}
