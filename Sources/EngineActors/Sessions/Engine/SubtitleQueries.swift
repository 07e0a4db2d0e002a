// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Reading
internal import Subtitles

/// Answers requests for the cues, scripts, pictures and attachments of a session, or of a source that is not loaded.
struct SubtitleQueries: Sendable {
    enum Place {
        case source(String)
        case session(PlaybackSession)
    }

    let place: Place
    let opener: SourceOpener
    /// Whether the subtitle files beside a source are listed.
    let findsSubtitles: Bool

    func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch> {
        switch place {
        case .source(let source):
            var request = request
            request.findsSubtitles = request.findsSubtitles && findsSubtitles
            return AttributedPieces(to: CrashTag.noSession) { UnloadedCues(request, of: source, opener) }
        case .session(let session):
            return try await session.setup.attributed { () async throws(EngineError) in
                try await session.cues(request)
            }
        }
    }

    func script(_ request: CueRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        var request = request
        request.isRaw = true
        request.range = nil
        return ScriptPieces(try await cues(request))
    }

    func drawing(_ request: DrawingRequest) async throws(EngineError) -> any PieceSource<DrawnBatch> {
        let cues = try await cues(SubtitleDrawing.cues(for: request))
        var surroundings: SubtitleDrawing.Surroundings
        let tag: UInt32
        switch place {
        case .source(let source):
            surroundings = SubtitleDrawing.Surroundings(source, request.cues.http, opener)
            tag = CrashTag.noSession
        case .session(let session):
            let load = await session.request()
            surroundings = SubtitleDrawing.Surroundings(load.source, load.http, opener)
            if let opened = await session.openedMedia {
                surroundings.origin = opened.source.origin.time
                surroundings.frameRate = opened.source.media.streams.lazy.compactMap(\.video?.frameRate).first
            }
            tag = session.setup.tag
        }
        return AttributedPieces(to: tag) { SubtitleDrawing(request, in: surroundings, cues) }
    }

    /// - Parameter engine: adds the recognized text to the session.
    func recognition(
        _ request: RecognitionRequest,
        by engine: Engine
    ) async throws(EngineError) -> any PieceSource<RecognitionStep> {
        guard case .session(let session) = place, let folder = engine.maker.configuration.recognitionDirectory else {
            throw EngineError(.unavailable, "recognized text cannot be kept: the engine has no cache folder")
        }
        guard let opened = await session.openedMedia else {
            throw EngineError(.unavailable, "session \(session.setup.id.rawValue) is still being opened")
        }
        var wanted = CueRequest(.session(session.setup.id))
        wanted.choice = .id(request.track)
        let cues = try await cues(wanted)
        let surroundings = TextRecognizer.Surroundings(
            key: opened.source.file.versionKey,
            folder: folder,
            origin: opened.source.origin.time
        ) { sidecar throws(EngineError) in
            try await Self.add(sidecar, to: session.setup.id, by: engine)
        }
        return AttributedPieces(to: session.setup.tag) { TextRecognizer(request, in: surroundings, cues) }
    }

    /// Adds a file of recognized text to a session. If the session already has the tracks of the file, they are only
    /// selected, if the file is to be shown.
    ///
    /// - Returns: the ids of its tracks.
    private static func add(
        _ file: Sidecar,
        to session: SessionID,
        by engine: Engine
    ) async throws(EngineError) -> [Int] {
        let known = try engine.find(session).1.subtitleTracks.filter { $0.origin == .sidecar(file.path) }.map(\.id)
        if known.isEmpty {
            let addition = CommandRequest(session: session, command: .tracks(.addSubtitles(file)))
            return try await engine.perform(addition).addedSubtitles
        }
        if file.isShown {
            let selection = CommandRequest(session: session, command: .tracks(.selectSubtitles(.tracks(known))))
            _ = try await engine.perform(selection)
        }
        return known
    }

    func attachment(_ request: AttachmentRequest) async throws(EngineError) -> any PieceSource<DataPiece> {
        switch place {
        case .source(let source):
            return AttributedPieces(to: CrashTag.noSession) {
                AttachmentPieces(of: source, request.http, opener, stream: request.stream)
            }
        case .session(let session):
            let load = await session.request()
            return AttributedPieces(to: session.setup.tag) {
                AttachmentPieces(of: load.source, load.http, opener, stream: request.stream)
            }
        }
    }
}
