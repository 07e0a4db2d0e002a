// SPDX-License-Identifier: Apache-2.0

/// Where subtitles are to be read.
public enum SubtitlePlace: Hashable, Sendable {
    /// `nil`: the default session.
    case session(SessionID?)
    /// As `LoadRequest.source`.
    case source(String)
}

/// Cues that somebody wants to have.
public struct CueRequest: Hashable, Sendable {
    public var place: SubtitlePlace
    public var choice = SubtitleChoice.automatic
    /// Only cues of which some part lies in it, on the clock that they are on. `nil`: all.
    public var range: MediaTimeRange?
    /// Whether cues carry the event lines of scripts.
    public var isRaw = false
    /// Of a source that is a file of subtitles by itself, as `Sidecar` has them.
    public var charset = ""
    public var httpHeaders: [HTTPHeader] = []

    public init(_ place: SubtitlePlace) { self.place = place }
}

/// Some of the cues that were asked for.
public struct CueBatch: Hashable, Sendable {
    /// The tracks that are read. Only in the first batch.
    public var tracks: [SubtitleTrack] = []
    /// By start; equal starts as the source has them. Later batches go on from there, but for a cue that the source keeps
    /// far behind its time.
    public var cues: [Cue] = []
    /// How much of what must be read has been: 0 … 1.
    public var progress = 0.0
    /// What the script says before its events. Only in the first batch, and only where raw lines were asked for.
    public var scriptHeader = ""

    public init() {}
}

/// What comes in pieces, each made when it is asked for.
public protocol PieceSource<Piece>: AnyObject, Sendable {
    associatedtype Piece: Sendable

    /// `nil` after the last. One caller at a time.
    func next() async throws(EngineError) -> Piece?

    /// Nobody wants the rest: a running `next` ends soon, and what was held is given back. Safe from any thread.
    func cancel()
}
