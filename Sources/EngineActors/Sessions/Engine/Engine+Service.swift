// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
internal import Reading
internal import Stills

// Requests that the engine passes on, to a session or to the part that answers them.
extension Engine {
    // MARK: States and descriptions

    /// The versions of FFmpeg's libraries, for logs.
    package static var libraries: String { LibraryVersions.text }

    package func state(of session: SessionID?) throws(EngineError) -> SessionState { try find(session).1 }

    package nonisolated func sessions() async -> (sessions: [SessionState], defaultSession: SessionID?) { hub.sessions }

    package nonisolated func probe(
        _ source: String,
        _ http: HTTPOptions,
        options: LoadOptions
    ) async throws(EngineError) -> MediaDescription {
        try await CrashTag.attribute(to: CrashTag.noSession) { () async throws(EngineError) in
            try await servers.describe(source, http, options: options, for: maker.configuration.player)
        }
    }

    package nonisolated func inspect(segment bytes: [UInt8]) async throws(EngineError) -> SegmentReport {
        try await inspector.inspect(bytes)
    }

    package nonisolated func observe(_ observer: any EngineObserver) async { hub.add(observer) }

    // MARK: Commands

    package nonisolated func perform(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        request.requestID.isEmpty ? try await performNow(request) : try await performOnce(request)
    }

    private func performOnce(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        try await commands.answer(request.requestID, of: request.session) { () async throws(EngineError) in
            try await self.performNow(request)
        }
    }

    private nonisolated func performNow(_ request: CommandRequest) async throws(EngineError) -> CommandResult {
        let (session, state) = try find(request.session)
        if let revision = request.ifRevision, revision != state.revision {
            throw EngineError(
                .revisionConflict,
                "session \(state.id.rawValue) is at revision \(state.revision), not \(revision)"
            )
        }
        return try await services.commands.perform(request.command, on: session, state, by: self)
    }

    // MARK: Renderers, frames and audio

    package func attach(_ offer: RendererOffer, to inbox: any CommandReceiver) async throws(EngineError) -> RendererID {
        let (session, state) = try find(offer.session)
        let number = sessions.nextRenderer()
        try await session.attach(offer, as: number, to: inbox)
        return RendererID(session: state.id, number: number)
    }

    package func report(_ report: RendererReport, by renderer: RendererID) async {
        await sessions[renderer.session]?.take(report, from: renderer.number)
    }

    package func detach(_ renderer: RendererID) async {
        await sessions[renderer.session]?.detach(renderer.number, because: "it disconnected")
    }

    package func attachFrames(_ request: FramesRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        return try await services.handovers.attachFrames(request, of: session, state)
    }

    package func attachAudio(_ request: AudioRequest) async throws(EngineError) -> HandoverTicket {
        let (session, state) = try find(request.session)
        return try await services.handovers.attachAudio(request, of: session, state)
    }

    package nonisolated func registerSource() async throws(EngineError) -> SourceRegistration {
        try services.handovers.register(sources.registerClientSource())
    }

    package nonisolated func claim(_ ticket: HandoverTicket) -> (any Handover)? { services.handovers.claim(ticket) }

    package func tap(_ request: AudioTapRequest) async throws(EngineError) -> any PieceSource<TappedAudio> {
        let (session, state) = try find(request.session)
        return try await services.taps.tap(request, of: session, state)
    }

    // MARK: Stills

    package func still(_ request: StillRequest, arrival: UInt64) async throws(EngineError) -> Still {
        try await stills(of: request.source).using { subject throws(EngineError) in
            try await subject.extractor.still(request, arrival: arrival, plan: subject.plan)
        }
    }

    package func prewarm(_ source: StillSource) async throws(EngineError) {
        try await stills(of: source).using { subject throws(EngineError) in
            try await subject.extractor.warm(plan: subject.plan)
        }
    }

    package func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still {
        let count = request.columns * request.rows
        return try await stills(of: request.source).using { subject throws(EngineError) in
            try await subject.extractor.sheet(request, duration: subject.duration, plan: subject.plan) {
                progress($0, count)
            }
        }
    }

    private func stills(of source: StillSource) throws(EngineError) -> StillQueries {
        let place: StillQueries.Place =
            switch source {
            case .source(let source, let http, let program): .source(source, http, program)
            case .session(let id): .session(try find(id).0)
            }
        return StillQueries(place: place, pool: stills)
    }

    // MARK: Loudness

    package func loudness(_ request: LoudnessRequest) async throws(EngineError) -> any PieceSource<LoudnessStep> {
        switch request.place {
        case .source(let source): services.loudness.measurement(request, of: source)
        case .session(let id): try await services.loudness.measurement(request, of: find(id).0)
        }
    }

    // MARK: Subtitles

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

    // MARK: What the engine keeps

    package nonisolated func history() async throws(EngineError) -> [HistoryEntry] { try await played.entries() }

    package nonisolated func clearHistory(of source: String?) async throws(EngineError) -> Int {
        try await played.clear(source)
    }

    package nonisolated func sourceCache() async throws(EngineError) -> SourceCacheReport { servers.cacheReport }

    package nonisolated func clearSourceCache(of source: String?) async throws(EngineError) -> SourceCacheClearing {
        try await sources.clearCache(of: source)
    }
}
