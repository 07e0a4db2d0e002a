// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Subtitles

// Cues, scripts and fonts of sessions and of files.
extension Engine {
    package func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        switch request.place {
        case .source(let source):
            var request = request
            request.findsSubtitles = request.findsSubtitles && maker.configuration.player.findsSubtitles
            return AttributedPieces(to: CrashTag.noSession) { PlaceCues(request, of: source, sources) }
        case .session(let id):
            let (session, _) = try find(id)
            return try await session.setup.attributed { () async throws(EngineError) in
                try await session.cues(request)
            }
        }
    }

    package func script(_ request: CueRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        var request = request
        request.isRaw = true
        request.range = nil
        return ScriptPieces(try await cues(request))
    }

    package func attachment(_ request: AttachmentRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        switch request.place {
        case .source(let source):
            return AttributedPieces(to: CrashTag.noSession) {
                AttachmentPieces(of: source, request.http, sources, stream: request.stream)
            }
        case .session(let id):
            let (session, _) = try find(id)
            let load = await session.request()
            return AttributedPieces(to: session.setup.tag) {
                AttachmentPieces(of: load.source, load.http, sources, stream: request.stream)
            }
        }
    }
}
