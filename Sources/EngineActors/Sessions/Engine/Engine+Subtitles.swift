// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension Engine {
    package func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        try await subtitles(of: request.place).cues(request)
    }

    package func script(_ request: CueRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        try await subtitles(of: request.place).script(request)
    }

    package func drawing(_ request: DrawingRequest) async throws(EngineError) -> any PieceSource<DrawnBatch> {
        try await subtitles(of: request.cues.place).drawing(request)
    }

    package func recognition(
        _ request: RecognitionRequest
    ) async throws(EngineError) -> any PieceSource<RecognitionStep> {
        try await subtitles(of: .session(request.session)).recognition(request, by: self)
    }

    package func attachment(_ request: AttachmentRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        try await subtitles(of: request.place).attachment(request)
    }

    private func subtitles(of place: SubtitlePlace) throws(EngineError) -> SubtitleQueries {
        let found: SubtitleQueries.Place =
            switch place {
            case .source(let source): .source(source)
            case .session(let id): .session(try find(id).0)
            }
        return SubtitleQueries(
            place: found,
            opener: sources,
            findsSubtitles: maker.configuration.player.findsSubtitles
        )
    }
}
