// SPDX-License-Identifier: Apache-2.0

/// A command to a session. A command that has nothing to change succeeds.
public enum Command: Hashable, Sendable {
    case player(PlayerCommand)
    case tracks(TrackCommand)
    case output(OutputCommand)
    case source(SourceCommand)
    /// Pauses, and moves the playhead by this many frames of the video; backwards if negative.
    case stepFrame(Int)
    /// Changes the filters, adjustments or overlays applied to frames before they are shown.
    case filters(FilterCommand)
    case recording(RecordingCommand)
    /// Ends the session.
    case stop
}

/// A command to the player of a session. Only `setLoopPoints` can fail: if the points do not fit into the source.
public enum PlayerCommand: Hashable, Sendable {
    case play
    case pause
    case seek(SeekCommand)
    /// Clamped to the session's range.
    case setRate(Double)
    /// Clamped to 0 … 1.
    case setVolume(Double)
    case setMuted(Bool)
    case setLooping(Bool)
    /// `nil`: no part of the timeline is repeated.
    case setLoopPoints(LoopPoints?)
    /// Clamped to `Delays.audioRange`.
    case setAudioDelay(MediaTime)
    /// Clamped to `Delays.subtitleRange`.
    case setSubtitleDelay(MediaTime)
    case skipChapter(ChapterStep)
}

/// A command that changes which tracks a session has, or which of them are used.
public enum TrackCommand: Hashable, Sendable {
    /// Makes another audio track the default one.
    case selectAudio(AudioSelection)
    /// Selects the subtitle tracks to show.
    case selectSubtitles(SubtitleSelection)
    /// Reads a subtitle file and adds its tracks to the session.
    case addSubtitles(Sidecar)
    /// Removes the subtitle file that contains the track with this id.
    case removeSubtitles(track: Int)
}

/// A command that changes how a session fetches its source, or which of its programs it plays.
public enum SourceCommand: Hashable, Sendable {
    case refresh(SourceRefresh)
    /// Plays another program of the source: a load into the same session, from the same position.
    case selectProgram(ProgramSelection)
}

/// Changes the URL or the HTTP options of the same source, for example because a signature has expired. Properties that
/// are `nil` do not change.
public struct SourceRefresh: Hashable, Sendable {
    public var url: String?
    public var headers: [HTTPHeader]?
    public var connection: HTTPConnectionOptions?

    public init() {}
}

/// A command that changes where a session's frames and audio go.
public enum OutputCommand: Hashable, Sendable {
    /// Switches to this path at the current position. `nil`: the path depends on the source, and on whether any sink is
    /// attached.
    case selectPath(PlaybackPath?)
    /// Sets where the engine plays the session's audio, on the software path. `nil`: no output.
    case setSoundOutput(AudioOutput?)
}

/// A command, the session it is for, and its precondition.
public struct CommandRequest: Hashable, Sendable {
    /// `nil`: the default session.
    public var session: SessionID?
    /// If set, the command fails with `revisionConflict` unless the session is at this revision.
    public var ifRevision: UInt64?
    public var command: Command
    /// A request with the same id as an earlier one gets the same answer, unless the earlier one failed. Empty: no id.
    public var requestID: String

    public init(session: SessionID?, ifRevision: UInt64? = nil, requestID: String = "", command: Command) {
        self.session = session
        self.ifRevision = ifRevision
        self.requestID = requestID
        self.command = command
    }
}

/// A request to move the playhead.
public struct SeekCommand: Hashable, Sendable {
    /// Targets outside the timeline are clamped to it.
    public enum Target: Hashable, Sendable {
        case position(MediaTime)
        /// Relative to the playhead.
        case relative(MediaTime)
        case begin, end
        /// The target latency behind the live edge of a live source; the end of any other source.
        case live
    }

    public enum Mode: Hashable, Sendable, CaseIterable {
        case exact
        /// To the nearest keyframe at or before the target; without video, the same as `exact`.
        case keyframe
    }

    public var target: Target
    public var mode: Mode
    /// Whether to play after the seek. `nil`: play only if the session was playing before.
    public var thenPlay: Bool?

    public init(_ target: Target, mode: Mode = .exact, thenPlay: Bool? = nil) {
        self.target = target
        self.mode = mode
        self.thenPlay = thenPlay
    }
}

/// The result of a command.
public struct CommandResult: Sendable {
    public var state: SessionState
    /// Whether an argument was out of range and was clamped.
    public var isClamped: Bool
    /// The seek that the command requested, as `SeekEvent.id`. The seek may begin later, or be rejected.
    public var seekID: UInt64?
    /// `SubtitleTrack.id` of each track that the command added.
    public var addedSubtitles: [Int]
    /// `AppliedFilter.id` of the filter that the command added.
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

/// A source to open, with its options.
public struct LoadRequest: Hashable, Sendable {
    /// An absolute path, a `file:` URL, or the URL of a resource on a server.
    public var source: String
    public var startPosition = MediaTime.zero
    public var options = LoadOptions()
    /// The session whose source is replaced. `nil`: a new session.
    public var session: SessionID?
    public var http = HTTPOptions()
    /// See `CommandRequest.requestID`.
    public var requestID = ""
    /// Subtitle files beside the source. A file that cannot be read is skipped, with a notice.
    public var sidecars: [Sidecar] = []

    public init(source: String) { self.source = source }
}

public struct LoadOptions: Hashable, Sendable {
    package static let segmentTargets = MediaTime.seconds(0.5)...MediaTime.seconds(60)
    package static let ladderLines = 48...4320
    package static let ladderLimit = 8
    package static let dvrWindows = MediaTime.seconds(10)...MediaTime.seconds(86_400)
    package static let dvrByteCounts: ClosedRange<Int64> = 16 << 20...1 << 50

    /// The target duration of segments; `nil` if the client requests none.
    public var requestedSegmentTarget: MediaTime?
    public var isAutoplay = false
    public var profile = PlayerProfile.everything
    public var bridgeMode = BridgeMode.surround
    /// Which video is decoded and encoded again for the player.
    public var videoBridge = VideoBridge.never
    /// The codec to which video is encoded: one of `PlayerProfile.knownVideoBridges`. `nil`: the profile's preference.
    public var videoBridgeCodec: CodecID?
    /// The largest size to which video is encoded, with the fastest preset: the number of lines of a 16:9 frame into
    /// which the video fits. `nil`: the largest size that the machine encodes in real time, as measured when the source
    /// is opened.
    public var videoBridgeLines: Int?
    /// The size that was measured when the session's source was opened last, for a session that is restored or
    /// reopened. `nil`: the size is measured.
    package var measuredBridgeLines: Int?
    /// Whether a device encodes video, if the machine has one. The bytes then depend on the device, too.
    public var usesHardwareEncoder = false
    /// Smaller sizes of the video that players may switch to, encoded on request: each is the number of lines of a 16:9
    /// frame into which the video fits. In descending order, without duplicates.
    public var ladder: [Int] = []
    /// Whether to signal Dolby Vision where the player supports it. Otherwise the base layer is served in its own
    /// format.
    public var hasDolbyVision = true
    /// Which program of a transport stream is played.
    public var program = ProgramSelection.automatic
    /// Selects the default audio track.
    public var audio = AudioSelection.automatic
    /// Selects the subtitle tracks to show.
    public var subtitles = SubtitleSelection.automatic
    /// The subtitle track that is drawn into the video, which is then encoded. `nil`: none.
    public var burnedSubtitles: SubtitleChoice?
    /// Whether the selected subtitles are drawn into the frames that the engine decodes.
    public var drawsSubtitles = false
    /// How audio is changed before it is played. If it is changed, tracks that would be remuxed are bridged.
    public var sound = SoundTreatment()
    /// The integrated loudness of the source's audio streams in LUFS, by stream index, as far as it was known when the
    /// source was opened. `nil`: it is looked up when the source is opened, if `sound` needs it.
    package var soundLevels: [Int: Double]?
    public var variants = VariantSelection()
    /// Whether subtitle files beside the source are found by their names. `nil`: the engine's settings decide.
    public var findsSubtitles: Bool?
    /// Whether cues from ASS and SSA scripts carry their original script lines.
    public var preservesScripts = false
    /// Whether playback resumes where it stopped earlier, if no start position is given. `nil`: the engine's settings
    /// decide.
    public var resumes: Bool?
    /// How interlaced frames are handled on the software path.
    public var deinterlacing = Deinterlacing.frame
    /// How long each phase may last before it is reported as stuck. Phases not listed use the engine's settings. Zero:
    /// no limit.
    public var timeouts: [Phase.Name: Duration] = [:]
    /// The allowed playback rates. `nil`: the engine's settings decide.
    public var rateRange: ClosedRange<Double>?
    /// The limits, in time and in bytes, of how much of a live stream is kept, so that playback can go back. `nil`: the
    /// engine's settings decide. The engine's own limit of bytes also applies.
    public var dvrWindow: MediaTime?
    public var dvrByteCount: Int64?
    /// How a session that is too far behind the live edge gets closer to it. `nil`: the engine's settings decide.
    public var chase: ChaseMode?
    /// Whether segments of a live transport stream are announced in parts, for players that support low-latency HLS.
    public var hasLowLatency = false
    /// The title of a disc to play, by `DiscTitle.number`. `nil`: its main title. No effect on other sources.
    public var title: Int?
    /// The angle of a disc's title to play, counted from 1. A title with fewer angles plays its first.
    public var angle = 1

    /// The target duration of segments. If the client requests none, live streams have a shorter one
    /// (`Interleaving.target`).
    package var segmentTarget: MediaTime { requestedSegmentTarget ?? .seconds(4) }

    public init() {}
}

/// Selects an audio track. A selection that matches no track falls back to `automatic`. A track that only the software
/// path plays matches only `stream`, unless no track is served.
public enum AudioSelection: Hashable, Sendable {
    /// The track that the source marks as default, otherwise the first.
    case automatic
    /// By the stream's index in the source.
    case stream(Int)
    /// The first language in the list that a track has: ISO 639-1, 639-2/B, 639-2/T or an English name,
    /// case-insensitive.
    case languages([String])
}
