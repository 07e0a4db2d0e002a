// SPDX-License-Identifier: Apache-2.0

/// The session or the source whose subtitles are read.
public enum SubtitlePlace: Hashable, Sendable {
    /// `nil`: the default session.
    case session(SessionID?)
    /// See `LoadRequest.source`.
    case source(String)
}

/// A request for cues.
public struct CueRequest: Hashable, Sendable {
    public var place: SubtitlePlace
    public var choice = SubtitleChoice.automatic
    /// Only cues that overlap this range, on the clock that the cues use. `nil`: all.
    public var range: MediaTimeRange?
    /// Whether cues carry the event lines of scripts, and whether events without text, such as drawings, are cues too.
    public var isRaw = false
    /// For a source that is itself a subtitle file; see `Sidecar`.
    public var charset = ""
    public var http = HTTPOptions()
    /// The program of a source to read. Ignored for a session, which has its own.
    public var program = ProgramSelection.automatic
    /// Whether the tracks of subtitle files beside a source are listed after its own. The engine's settings can disable
    /// this.
    public var findsSubtitles = true

    public init(_ place: SubtitlePlace) { self.place = place }
}

/// Some of the requested cues.
public struct CueBatch: Hashable, Sendable {
    /// The tracks being read. Only in the first batch.
    public var tracks: [SubtitleTrack] = []
    /// Ordered by start; equal starts are in source order. Later batches continue from there, except for a cue that the
    /// source stores long after its time.
    public var cues: [Cue] = []
    /// The fraction of the data that has been read: 0 … 1.
    public var progress = 0.0
    /// The part of the script before its events. Only in the first batch, and only if raw lines were requested.
    public var scriptHeader = ""

    public init() {}
}

/// A sequence of pieces, each made on demand.
public protocol PieceSource<Piece>: AnyObject, Sendable {
    associatedtype Piece: Sendable

    /// `nil` after the last piece. One caller at a time.
    func next() async throws(EngineError) -> Piece?

    /// Abandons the rest: a running `next` ends soon, and resources are released. Safe from any thread.
    func cancel()
}
