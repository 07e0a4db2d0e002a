// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The methods of `engine.v1.Engine` that share memory with the client.
enum HandoverMethods {
    static var table: [String: MethodTable.Factory] {
        [
            "/engine.v1.Engine/AttachFrames": {
                UnaryHandler(core: $0) { bytes, core throws(EngineError) in
                    let request = try FramesRequest(wire: bytes)
                    let service = core.service
                    return try answer(core) { () throws(EngineError) in try await service.attachFrames(request) }
                }
            },
            "/engine.v1.Engine/AttachAudio": {
                UnaryHandler(core: $0) { bytes, core throws(EngineError) in
                    let request = try AudioRequest(wire: bytes)
                    let service = core.service
                    return try answer(core) { () throws(EngineError) in try await service.attachAudio(request) }
                }
            },
        ]
    }

    private static func answer(
        _ core: ServerCore,
        _ issue: @escaping @Sendable () async throws(EngineError) -> HandoverTicket
    ) throws(EngineError) -> UnaryHandler.Work {
        guard let path = core.sideSocketPath else {
            throw EngineError(.unavailable, "the side socket is not available")
        }
        return .run { () throws(EngineError) in
            .framed(AttachmentAnswer(ticket: try await issue(), socketPath: path).framed())
        }
    }
}
