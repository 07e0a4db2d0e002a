// SPDX-License-Identifier: Apache-2.0

/// What can be asked of a session. Each answers, also when it changes nothing.
public enum Command: Hashable, Sendable {
    case play
    case pause
    case seek(SeekCommand)
    /// Clamped to the session's range.
    case setRate(Double)
    /// Clamped to 0 … 1.
    case setVolume(Double)
    case setMuted(Bool)
    case setLooping(Bool)
    case skipChapter(ChapterStep)
    /// Makes another audio track the default one.
    case selectAudio(AudioSelection)
    /// Shows other subtitle tracks.
    case selectSubtitles(SubtitleSelection)
    /// Reads a file of subtitles, whose tracks are the session's from then on.
    case addSubtitles(Sidecar)
    /// Takes the file away that a track, by its id, belongs to.
    case removeSubtitles(track: Int)
    /// Plays on a path from here on. `nil`: the one that the source takes by the player's profile.
    case selectPath(PlaybackPath?)
    /// Lets the session be heard, on the software path. `nil`: nowhere.
    case setSoundOutput(SoundOutput?)
    /// Changes what is done to pictures before they are shown.
    case filters(FilterCommand)
    case stop
}

/// A command, for whom it is, and what it depends on.
public struct CommandRequest: Hashable, Sendable {
    /// `nil`: the default session.
    public var session: SessionID?
    /// Refused with `revisionConflict` unless the session is at this revision.
    public var ifRevision: UInt64?
    public var command: Command
    /// A request with an id that was answered before gets that answer again. Empty: none.
    public var requestID: String

    public init(session: SessionID?, ifRevision: UInt64? = nil, requestID: String = "", command: Command) {
        self.session = session
        self.ifRevision = ifRevision
        self.requestID = requestID
        self.command = command
    }
}

/// A wish to be somewhere else on the timeline.
public struct SeekCommand: Hashable, Sendable {
    /// What lies outside the timeline is clamped to it.
    public enum Target: Hashable, Sendable {
        case position(MediaTime)
        /// Added to where the playhead is.
        case relative(MediaTime)
        case begin, end
    }

    public enum Mode: Hashable, Sendable, CaseIterable {
        case exact
        /// To the nearest keyframe at or before the target; where there are no pictures, as `exact`.
        case keyframe
    }

    public var target: Target
    public var mode: Mode
    /// Whether it plays from there; `nil`: as it did before.
    public var thenPlay: Bool?

    public init(_ target: Target, mode: Mode = .exact, thenPlay: Bool? = nil) {
        self.target = target
        self.mode = mode
        self.thenPlay = thenPlay
    }
}

/// What a command led to.
public struct CommandResult: Sendable {
    public var state: SessionState
    /// Whether an argument was out of range and moved into it.
    public var isClamped: Bool
    /// The seek it began, as `SeekEvent.id`.
    public var seekID: UInt64?
    /// `SubtitleTrack.id` of the tracks that it has added.
    public var addedSubtitles: [Int]
    /// `AppliedFilter.id` of the filter that it has added.
    public var addedFilter: Int?

    public init(
        state: SessionState,
        isClamped: Bool = false,
        seekID: UInt64? = nil,
        addedSubtitles: [Int] = [],
        addedFilter: Int? = nil
    ) {
        self.state = state
        self.isClamped = isClamped
        self.seekID = seekID
        self.addedSubtitles = addedSubtitles
        self.addedFilter = addedFilter
    }
}

/// A source to open, and how.
public struct LoadRequest: Hashable, Sendable {
    /// An absolute path or a `file:` URL.
    public var source: String
    public var startPosition = MediaTime.zero
    public var options = LoadOptions()
    /// The session whose source it replaces; `nil`: a new one.
    public var session: SessionID?
    /// Sent with every request for a source that is fetched over HTTP.
    public var httpHeaders: [HTTPHeader] = []
    /// As `CommandRequest.requestID`.
    public var requestID = ""
    /// Files of subtitles beside the source. One that cannot be read is left out, with a notice.
    public var sidecars: [Sidecar] = []

    public init(source: String) { self.source = source }
}

public struct LoadOptions: Hashable, Sendable {
    package static let segmentTargets = MediaTime.seconds(0.5)...MediaTime.seconds(60)

    public var segmentTarget = MediaTime.seconds(4)
    public var isAutoplay = false
    public var profile = PlayerProfile.everything
    public var bridgeMode = BridgeMode.surround
    /// Whether Dolby Vision is signalled where the player takes it; else its base layer is served as what it is.
    public var hasDolbyVision = true
    /// Which audio track is the default one.
    public var audio = AudioSelection.automatic
    /// Which subtitle tracks are shown.
    public var subtitles = SubtitleSelection.automatic
    /// Whether cues of scripts carry their lines.
    public var preservesScripts = false
    /// What becomes of pictures with fields on the software path.
    public var deinterlacing = Deinterlacing.frame
    /// How long a phase may last before it is reported as stuck, where that differs from the engine's settings. Zero: for
    /// ever.
    public var timeouts: [Phase.Name: Duration] = [:]
    /// The rates that may be chosen. `nil`: as the engine's settings say.
    public var rateRange: ClosedRange<Double>?

    public init() {}
}

/// Which audio track is wanted. What does not name a track that is served falls back to `automatic`.
public enum AudioSelection: Hashable, Sendable {
    /// The track the source marks as default, else its first.
    case automatic
    /// By stream index in the source.
    case stream(Int)
    /// The first language of the list that a track has: ISO 639-1, 639-2/B, 639-2/T or an English name, in any case.
    case languages([String])
}
