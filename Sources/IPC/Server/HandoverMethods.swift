// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The methods of `engine.v1.Engine` that issue a ticket, for which the side socket hands over memory or a socket.
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
            "/engine.v1.Engine/RegisterSource": {
                UnaryHandler(core: $0) { bytes, core throws(EngineError) in
                    try RegisteredSourceAnswer.checkRequest(bytes)
                    let (service, path) = (core.service, try sidePath(core))
                    return .run { () throws(EngineError) in
                        .framed(RegisteredSourceAnswer(try await service.registerSource(), socketPath: path).framed())
                    }
                }
            },
        ]
    }

    private static func sidePath(_ core: ServerCore) throws(EngineError) -> String {
        guard let path = core.sideSocketPath else {
            throw EngineError(.unavailable, "the side socket is not available")
        }
        return path
    }

    private static func answer(
        _ core: ServerCore,
        _ issue: @escaping @Sendable () async throws(EngineError) -> HandoverTicket
    ) throws(EngineError) -> UnaryHandler.Work {
        let path = try sidePath(core)
        return .run { () throws(EngineError) in
            .framed(AttachmentAnswer(ticket: try await issue(), socketPath: path).framed())
        }
    }
}
