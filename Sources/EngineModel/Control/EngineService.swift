// SPDX-License-Identifier: Apache-2.0

/// The engine as the control plane sees it. The IPC server serves it, `Engine` implements it, and neither knows the other.
///
/// Thread-safety: safe. Every call may be cancelled through its task.
package protocol EngineService: StillService, HandoverService {
    /// Opens a source, plans it and returns once its playlists can be fetched.
    func load(_ request: LoadRequest) async throws(EngineError) -> SessionState

    func perform(_ request: CommandRequest) async throws(EngineError) -> CommandResult

    /// - Parameter session: `nil` for the default session.
    func state(of session: SessionID?) async throws(EngineError) -> SessionState

    /// All sessions in the order they were loaded, and which one is the default.
    func sessions() async -> (sessions: [SessionState], defaultSession: SessionID?)

    /// Describes a source without loading it, with the routes its streams would take under `options`.
    func probe(_ source: String, options: LoadOptions) async throws(EngineError) -> MediaDescription

    /// The cues of one or more tracks, read as they are asked for.
    func cues(_ request: CueRequest) async throws(EngineError) -> any PieceSource<CueBatch>

    /// The same cues as one script of ASS. The range of the request does not count.
    func script(_ request: CueRequest) async throws(EngineError) -> any PieceSource<DataPiece>

    /// The bytes of a font or a picture that is part of a source.
    func attachment(_ request: AttachmentRequest) async throws(EngineError) -> any PieceSource<DataPiece>

    /// The decoded sound of a session, beside its playback.
    func tap(_ request: AudioTapRequest) async throws(EngineError) -> any PieceSource<TappedSound>

    /// Attaches a renderer. `sink` hears what it is to do from now on.
    func attach(_ offer: RendererOffer, to sink: any RendererSink) async throws(EngineError) -> RendererID

    /// What a renderer says of itself. No effect once it is detached.
    func report(_ report: RendererReport, by renderer: RendererID) async

    /// The renderer is gone. No effect when it is detached already.
    func detach(_ renderer: RendererID) async

    /// Decodes an init segment followed by a media segment, on their own.
    func inspect(segment bytes: [UInt8]) async throws(EngineError) -> SegmentReport

    /// From now on gives every change to `observer`, starting with one `.changed` per session that exists.
    ///
    /// There is no queue between: the call is made on the engine's side at the moment of the change, in order, so an
    /// observer must only note it and return.
    func observe(_ observer: any EngineObserver) async
}

/// Hears of every change, in order.
package protocol EngineObserver: AnyObject, Sendable {
    func receive(_ change: EngineChange)
}

package enum EngineChange: Sendable {
    /// The whole new state. `fields` names what differs from the one before; `.all` when there was none.
    case changed(SessionState, fields: StateFields)
    case noticed(SessionID, Notice)
    case seeked(SessionID, SeekEvent)
    /// What is on the screen has changed, or what comes next.
    case cued(SessionID, ScreenCues)
    /// The session is gone; nothing follows for it. Carries the failure that ended it, if one did.
    case closed(SessionID, EngineError?)
    /// What an empty session id means from now on.
    case defaultSession(SessionID?)
}
