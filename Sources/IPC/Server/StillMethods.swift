// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The methods of `engine.v1.Engine` that make stills.
enum StillMethods {
    static var table: [String: MethodTable.Factory] {
        [
            "/engine.v1.Engine/Thumbnail": {
                UnaryHandler(core: $0) { bytes, core throws(EngineError) in
                    make(try StillRequest(thumbnail: bytes), core)
                }
            },
            "/engine.v1.Engine/Snapshot": {
                UnaryHandler(core: $0) { bytes, core throws(EngineError) in
                    make(try StillRequest(snapshot: bytes), core)
                }
            },
            "/engine.v1.Engine/PrewarmStills": { UnaryHandler(core: $0, operation: prewarm) },
            "/engine.v1.Engine/ContactSheet": { ContactSheetHandler(core: $0) },
        ]
    }

    private static func make(_ request: StillRequest, _ core: ServerCore) -> UnaryHandler.Work {
        let service = core.service
        let arrival = core.tasks.nextStillArrival()
        return .run { () throws(EngineError) in
            .framed(try await service.still(request, arrival: arrival).framed())
        }
    }

    private static func prewarm(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        let source = try PrewarmMessages.source(wire: bytes)
        let service = core.service
        return .run { () throws(EngineError) in
            try await service.prewarm(source)
            return .framed(PrewarmMessages.framedAnswer())
        }
    }
}
