// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Decoding
internal import EngineModel
internal import EngineRuntime
internal import Reading

/// Measures the loudness of tracks: of sessions, and of sources that are not loaded.
///
/// Thread-safety: safe.
struct LoudnessQueries: Sendable {
    let hub: EventHub
    let opener: SourceOpener

    func measurement(_ request: LoudnessRequest, of source: String) -> any PieceSource<LoudnessStep> {
        AttributedPieces(to: CrashTag.noSession) {
            LoudnessMeasurement(
                .source(source, request.http, request.program, opener),
                stream: request.stream,
                opener.loudness
            )
        }
    }

    /// - Throws: `unavailable` if the session has no open source, because opening failed or the session has ended;
    ///   `trackNotFound` if it plays no audio and the request names no track.
    func measurement(
        _ request: LoudnessRequest,
        of session: PlaybackSession
    ) async throws(EngineError) -> any PieceSource<LoudnessStep> {
        await session.untilOpen()
        let id = session.setup.id
        guard let opened = await session.openedMedia else {
            throw EngineError(.unavailable, "session \(id.rawValue) has no open source")
        }
        guard let stream = request.stream ?? hub.state(of: id)?.selectedAudio else {
            throw EngineError(.trackNotFound, "\(opened.source.file.path) has no audio track that is played")
        }
        return AttributedPieces(to: session.setup.tag) {
            LoudnessMeasurement(.opened(opened.source, opened.plan), stream: stream, opener.loudness)
        }
    }
}
