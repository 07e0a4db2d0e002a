// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import IPC

// The sound of a session, for whoever listens and is not heard.
extension EngineClient {
    /// Listens until the session ends, or unpaced the source; `receive` gets each piece as it comes. What it does not take in
    /// time is left out.
    public func tap(
        _ request: AudioTapRequest,
        receive: (TappedSound) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) {
        let call = await call("/engine.v1.Engine/TapAudio", request.framed(), timeout: nil)
        while let message = try await call.next() {
            try receive(try read { () throws(EngineError) in try TappedSound(wire: message) })
        }
    }
}
