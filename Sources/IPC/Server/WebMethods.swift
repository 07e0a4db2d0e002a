// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The methods of `engine.v1.Engine` that open and close control over HTTP.
enum WebMethods {
    static var table: [String: MethodTable.Factory] {
        [
            "/engine.v1.Engine/OpenWebControl": { UnaryHandler(core: $0, operation: open) },
            "/engine.v1.Engine/CloseWebControl": { UnaryHandler(core: $0, operation: close) },
        ]
    }

    private static func open(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        let lifetime = try WebControlOpening.lifetime(wire: bytes)
        let web = try service(of: core)
        return .run { () throws(EngineError) in
            .framed(WebControlOpening.framed(try await web.openWebControl(lifetime: lifetime)))
        }
    }

    private static func close(_ bytes: [UInt8], _ core: ServerCore) throws(EngineError) -> UnaryHandler.Work {
        try WebControlClosing.check(bytes)
        let web = try service(of: core)
        return .run { () throws(EngineError) in
            .framed(WebControlClosing.framed(revoked: try await web.closeWebControl()))
        }
    }

    private static func service(of core: ServerCore) throws(EngineError) -> any WebControlService {
        guard let web = core.web else { throw EngineError(.unavailable, "this server has no control over HTTP") }
        return web
    }
}
