// SPDX-License-Identifier: Apache-2.0

/// The engine as the control plane sees it. The IPC server calls it, `Engine` implements it, and neither depends on the
/// other.
///
/// Thread-safety: safe. Every call may be cancelled through its task.
package protocol EngineService: StillService, HandoverService {
    /// Opens a source, plans it and returns once its playlists can be fetched.
    func load(_ request: LoadRequest) async throws(EngineError) -> SessionState

    func perform(_ request: CommandRequest) async throws(EngineError) -> CommandResult

    /// - Parameter session: `nil` for the default session.
    func state(of session: SessionID?) async throws(EngineError) -> SessionState

    /// All sessions in the order they were loaded, and the id of the default session.
    func sessions() async -> (sessions: [SessionState], defaultSession: SessionID?)

    /// Describes a source without loading it, including the routes its streams would take under `options`.
    func probe(
        _ source: String,
        _ http: HTTPOptions,
        options: LoadOptions
    ) async throws(EngineError) -> MediaDescription

    /// The playback history: how far sources were played, the latest first.
    func history() async throws(EngineError) -> [HistoryEntry]

    /// Removes the history of a source; without a source, the history of all.
    ///
    /// - Returns: how many entries were removed.
    func clearHistory(of source: String?) async throws(EngineError) -> Int

    /// A report of the cache for sources on servers.
    func sourceCache() async throws(EngineError) -> SourceCacheReport

    /// Removes a source from the cache; without a source, removes all. Sources in use are fetched again when they are
    /// read.
    ///
    /// - Parameter source: a URL; user name, password and query do not count.
    func clearSourceCache(of source: String?) async throws(EngineError) -> SourceCacheClearing

    /// The cues of one or more tracks, read on demand.
    func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch>

    /// The cues of the request as one ASS script. The request's range is ignored.
    func script(_ request: CueRequest) async throws(EngineError) -> any PieceSource<DataPiece>

    /// The pictures of one track, drawn on demand.
    func drawing(_ request: DrawingRequest) async throws(EngineError) -> any PieceSource<DrawnBatch>

    /// Recognizes the text in a bitmap track and adds it to the session as a text track. The work is done as the caller
    /// requests steps.
    func recognition(_ request: RecognitionRequest) async throws(EngineError) -> any PieceSource<RecognitionStep>

    /// The bytes of a font or picture embedded in a source.
    func attachment(_ request: AttachmentRequest) async throws(EngineError) -> any PieceSource<DataPiece>

    /// The session's decoded audio, independent of its playback.
    func tap(_ request: AudioTapRequest) async throws(EngineError) -> any PieceSource<TappedAudio>

    /// Measures the loudness of a track. The work is done as the caller requests steps.
    func loudness(_ request: LoudnessRequest) async throws(EngineError) -> any PieceSource<LoudnessStep>

    /// Attaches a renderer. From now on `receiver` receives the renderer's commands.
    func attach(_ offer: RendererOffer, to receiver: any CommandReceiver) async throws(EngineError) -> RendererID

    /// Delivers a renderer's status report. No effect once the renderer is detached.
    func report(_ report: RendererReport, by renderer: RendererID) async

    /// Detaches a renderer. No effect if it is already detached.
    func detach(_ renderer: RendererID) async

    /// Decodes an init segment followed by one media segment, in isolation.
    func inspect(segment bytes: [UInt8]) async throws(EngineError) -> SegmentReport

    /// Registers an observer. It receives one `.changed` per existing session and the default session, then every
    /// change.
    ///
    /// Changes are not queued: the engine calls the observer synchronously at the moment of each change, in order, so
    /// the observer must only record the change and return.
    func observe(_ observer: any EngineObserver) async
}

/// Receives every change, in order.
package protocol EngineObserver: AnyObject, Sendable {
    func receive(_ change: EngineChange)
}

package enum EngineChange: Sendable {
    /// The whole new state. `fields` names the groups that differ from the previous state; `.all` if there was none.
    case changed(SessionState, fields: StateFields)
    case noticed(SessionID, Notice)
    case seeked(SessionID, SeekEvent)
    /// The cues on the screen, or those that come next, have changed.
    case cued(SessionID, ScreenCues)
    /// The session is gone and emits nothing more. Carries the failure that ended it, if any.
    case closed(SessionID, EngineError?)
    /// The session that a request without a session id refers to from now on.
    case defaultSession(SessionID?)
}
