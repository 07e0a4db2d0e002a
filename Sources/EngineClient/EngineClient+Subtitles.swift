// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import IPC

// Cues, as an engine reads them.
extension EngineClient {
    /// Reads cues; `receive` gets each batch as it comes.
    public func cues(
        _ request: CueRequest,
        receive: (CueBatch) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) {
        let call = await call("/engine.v1.Engine/GetCues", request.framed(), timeout: nil)
        while let message = try await call.next() {
            try receive(try read { () throws(EngineError) in try CueBatch(wire: message) })
        }
    }
}
