// SPDX-License-Identifier: Apache-2.0

/// The playhead's position at one moment, from which front-ends extrapolate.
public struct PositionAnchor: Hashable, Sendable {
    public var position: MediaTime
    /// 0 while the playhead does not move.
    public var rate: Double
    /// CLOCK_MONOTONIC, in nanoseconds, when the playhead was at `position`.
    public var monotonicNanoseconds: Int64
    /// The requested rate. It applies while playing.
    public var requestedRate: Double

    public init(position: MediaTime, rate: Double, monotonicNanoseconds: Int64, requestedRate: Double) {
        self.position = position
        self.rate = rate
        self.monotonicNanoseconds = monotonicNanoseconds
        self.requestedRate = requestedRate
    }

    /// The playhead's position at `monotonicNanoseconds`, not clamped to the timeline. The sum saturates at 64 bits,
    /// because a source may claim any length.
    public func position(at monotonicNanoseconds: Int64) -> MediaTime {
        guard rate != 0 else { return position }
        let elapsed = Double(monotonicNanoseconds &- self.monotonicNanoseconds) / 1000 * rate
        guard let passed = Int64(exactly: elapsed.rounded(.towardZero)) else { return position }
        let (sum, overflows) = position.microseconds.addingReportingOverflow(passed)
        return MediaTime(microseconds: overflows ? (passed < 0 ? .min : .max) : sum)
    }
}

/// Progress of planning a source and of producing its segments.
public struct Production: Hashable, Sendable {
    public var plannedSegments = 0
    public var isPlanComplete = false
    /// Progress of scanning a source that has no reliable index, 0 … 1.
    public var scanProgress = 0.0
    public var planOrigin = PlanOrigin.index
    public var segmentsProduced: UInt64 = 0
    public var segmentsEvicted: UInt64 = 0
    public var cachedBytes: UInt64 = 0
    public var bytesProduced: UInt64 = 0

    public init() {}
}

/// The origin of a plan.
public enum PlanOrigin: String, Hashable, Sendable {
    /// The container's own index.
    case index
    /// A scan of the packet headers of the whole source.
    case scan
    /// An earlier scan of the same file.
    case cache
    /// The source is a list of segments.
    case playlist
}

/// Everything a session publishes, as one value with a revision.
public struct SessionState: Hashable, Sendable {
    public var id: SessionID
    /// Increases with every change.
    public var revision: UInt64
    /// As messages show it: a URL without user name, password, query and fragment.
    public var source: String
    /// The URL that players fetch.
    public var url: String
    public var phase: Phase
    /// The reason why the source delivers nothing now. `nil` while it delivers.
    public var sourceWait: SourceWait?
    public var position: PositionAnchor
    public var duration: MediaTime?
    public var seekable: [MediaTimeRange]
    /// Whether the source is growing: a live source, a file that is still being written, or a download that can only be
    /// read from start to end.
    public var isGrowing = false
    /// `nil` unless the source is live.
    public var live: LiveState?
    public var buffered: [MediaTimeRange]
    public var production: Production
    public var media: MediaDescription?
    /// The video format that the player receives. `nil` without video.
    public var videoFormat: VideoFormat?
    public var sourceVideoFormat: VideoFormat?
    /// How the played streams reach the player. `nil` until the source is open.
    public var route: Route?
    /// The player profile the routes were chosen for.
    public var profile = ""
    /// The path in use. `nil` until the source is open.
    public var path: PlaybackPath?
    /// The stream index of the default audio track. `nil` until the source is open, and if no audio track can be
    /// played.
    public var selectedAudio: Int?
    /// 0 … 1.
    public var volume = 1.0
    public var isMuted = false
    public var isLooping = false
    /// The A–B loop. Without an end, nothing is repeated yet.
    public var loopPoints: LoopPoints?
    public var delays = Delays()
    /// Requested rates are clamped to this range.
    public var rateRange: ClosedRange<Double> = 0...2
    /// The index in `media.chapters` of the chapter that the playhead is in.
    public var chapter: Int?
    /// The tags of the source.
    public var metadata: [Tag] = []
    /// Empty if there is no cover.
    public var coverArtURL = ""
    /// The URL of the storyboard, a set of thumbnails for the whole source. Empty if there is none.
    public var storyboardURL = ""
    public var statistics = Statistics()
    /// The name of the renderer outside the engine that moves the playhead. `nil` if there is none.
    public var renderer: String?
    /// In source order, followed by subtitle files in the order they were added.
    public var subtitleTracks: [SubtitleTrack] = []
    /// `SubtitleTrack.id` of each track that is shown.
    public var selectedSubtitles: [Int] = []
    public var adjustments = PictureAdjustments.neutral
    /// In the order in which they are applied.
    public var filters: [AppliedFilter] = []
    /// From bottom to top.
    public var overlays: [PlacedOverlay] = []
    /// `nil` if the session was never recorded.
    public var recording: RecordingState?
    /// The present and the following event of each program, as the tables of a live transport stream state them, in the
    /// order of `media.programs`. Programs without events are left out.
    public var guide: [ProgramGuide] = []

    public init(id: SessionID, source: String, url: String, position: PositionAnchor) {
        self.id = id
        revision = 1
        self.source = source
        self.url = url
        phase = .opening
        self.position = position
        seekable = []
        buffered = []
        production = Production()
    }
}

/// The groups of a session's state that watchers can request (`StateField` of the contract).
public struct StateFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let identity = StateFields(rawValue: 1 << 1)
    public static let phase = StateFields(rawValue: 1 << 2)
    public static let position = StateFields(rawValue: 1 << 3)
    public static let duration = StateFields(rawValue: 1 << 4)
    public static let buffered = StateFields(rawValue: 1 << 5)
    public static let production = StateFields(rawValue: 1 << 6)
    public static let media = StateFields(rawValue: 1 << 7)
    public static let format = StateFields(rawValue: 1 << 8)
    public static let audio = StateFields(rawValue: 1 << 9)
    public static let settings = StateFields(rawValue: 1 << 10)
    public static let chapter = StateFields(rawValue: 1 << 11)
    public static let metadata = StateFields(rawValue: 1 << 12)
    public static let statistics = StateFields(rawValue: 1 << 13)
    public static let renderer = StateFields(rawValue: 1 << 14)
    public static let subtitles = StateFields(rawValue: 1 << 15)
    public static let filters = StateFields(rawValue: 1 << 16)
    public static let recording = StateFields(rawValue: 1 << 17)
    public static let guide = StateFields(rawValue: 1 << 18)
    public static let all: StateFields = [
        .identity, .phase, .position, .duration, .buffered, .production, .media, .format, .audio, .settings, .chapter,
        .metadata, .statistics, .renderer, .subtitles, .filters, .recording, .guide,
    ]
}

extension SessionState {
    /// The groups in which this state differs from `other`. Revisions are not compared.
    package func changes(since other: SessionState) -> StateFields {
        var fields: StateFields = []
        if source != other.source || url != other.url || storyboardURL != other.storyboardURL {
            fields.insert(.identity)
        }
        if phase != other.phase || sourceWait != other.sourceWait { fields.insert(.phase) }
        if position != other.position { fields.insert(.position) }
        if duration != other.duration || seekable != other.seekable || isGrowing != other.isGrowing
            || live != other.live
        {
            fields.insert(.duration)
        }
        if buffered != other.buffered { fields.insert(.buffered) }
        if production != other.production { fields.insert(.production) }
        if media != other.media { fields.insert(.media) }
        if videoFormat != other.videoFormat || sourceVideoFormat != other.sourceVideoFormat || route != other.route
            || profile != other.profile || path != other.path
        {
            fields.insert(.format)
        }
        if selectedAudio != other.selectedAudio { fields.insert(.audio) }
        if volume != other.volume || isMuted != other.isMuted || isLooping != other.isLooping
            || rateRange != other.rateRange || loopPoints != other.loopPoints || delays != other.delays
        {
            fields.insert(.settings)
        }
        if chapter != other.chapter { fields.insert(.chapter) }
        if metadata != other.metadata || coverArtURL != other.coverArtURL { fields.insert(.metadata) }
        if statistics != other.statistics { fields.insert(.statistics) }
        if renderer != other.renderer { fields.insert(.renderer) }
        if subtitleTracks != other.subtitleTracks || selectedSubtitles != other.selectedSubtitles {
            fields.insert(.subtitles)
        }
        if adjustments != other.adjustments || filters != other.filters || overlays != other.overlays {
            fields.insert(.filters)
        }
        if recording != other.recording { fields.insert(.recording) }
        if guide != other.guide { fields.insert(.guide) }
        return fields
    }
}

/// Something that happened to a session, as opposed to the session's state.
public struct Notice: Hashable, Sendable {
    public enum Severity: Hashable, Sendable { case info, warning }

    public var severity: Severity
    /// One of the codes in `docs/ipc.md`, such as `plan.index_rejected`.
    public var code: String
    public var message: String

    public init(_ severity: Severity, _ code: String, _ message: String) {
        self.severity = severity
        self.code = code
        self.message = message
    }
}
