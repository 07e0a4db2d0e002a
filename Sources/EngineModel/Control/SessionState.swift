// SPDX-License-Identifier: Apache-2.0

/// Names one session for as long as the engine lives.
package struct SessionID: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Where the playhead was at one moment; front-ends extrapolate from it.
package struct PositionAnchor: Hashable, Sendable {
    package var position: MediaTime
    /// 0 while the playhead does not move.
    package var rate: Double
    /// Nanoseconds of CLOCK_MONOTONIC when the playhead was at `position`.
    package var monotonicNanoseconds: Int64
    /// The rate asked for. It takes effect while playing.
    package var requestedRate: Double

    package init(position: MediaTime, rate: Double, monotonicNanoseconds: Int64, requestedRate: Double) {
        self.position = position
        self.rate = rate
        self.monotonicNanoseconds = monotonicNanoseconds
        self.requestedRate = requestedRate
    }

    /// Where the playhead is at `monotonicNanoseconds`, not clamped to the timeline.
    package func position(at monotonicNanoseconds: Int64) -> MediaTime {
        guard rate != 0 else { return position }
        let elapsed = Double(monotonicNanoseconds - self.monotonicNanoseconds) / 1000 * rate
        return MediaTime(microseconds: position.microseconds + Int64(elapsed))
    }
}

/// How far the plan of a source and the making of its segments have come.
package struct Production: Hashable, Sendable {
    package var plannedSegments = 0
    package var isPlanComplete = false
    /// 0 … 1, of a scan of a source that has no index to trust.
    package var scanProgress = 0.0
    package var planOrigin = PlanOrigin.index
    package var segmentsProduced: UInt64 = 0
    package var segmentsEvicted: UInt64 = 0
    package var cachedBytes: UInt64 = 0
    package var bytesProduced: UInt64 = 0

    package init() {}
}

/// Where a plan came from.
package enum PlanOrigin: String, Hashable, Sendable {
    /// The container's own index.
    case index
    /// A walk over the packet headers of the whole source.
    case scan
    /// An earlier scan of the same file.
    case cache
}

/// Everything a session publishes, as one value with a revision.
package struct SessionState: Hashable, Sendable {
    package var id: SessionID
    /// Grows with every change.
    package var revision: UInt64
    package var source: String
    package var url: String
    package var phase: Phase
    package var position: PositionAnchor
    package var duration: MediaTime?
    package var seekable: [MediaTimeRange]
    package var buffered: [MediaTimeRange]
    package var production: Production
    package var media: MediaDescription?
    /// What the player receives. `nil` without video.
    package var videoFormat: VideoFormat?
    package var sourceVideoFormat: VideoFormat?
    /// How what is played reaches the player. `nil` until the source is open.
    package var route: Route?
    /// The player profile the routes were chosen for.
    package var profile = ""
    /// Stream index of the default audio track. `nil` when none is served.
    package var selectedAudio: Int?
    /// 0 … 1.
    package var volume = 1.0
    package var isMuted = false
    package var isLooping = false
    /// The place in `media.chapters` of the chapter that the playhead is in.
    package var chapter: Int?
    /// The tags of the source.
    package var metadata: [Tag] = []
    /// Empty when there is none.
    package var coverArtURL = ""
    package var statistics = Statistics()
    /// The name of the renderer that moves the playhead.
    package var renderer: String?
    /// In the order of the source, then the files beside it as they were added.
    package var subtitleTracks: [SubtitleTrack] = []
    /// `SubtitleTrack.id` of those that are shown.
    package var selectedSubtitles: [Int] = []

    package init(id: SessionID, source: String, url: String, position: PositionAnchor) {
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

/// The groups in which a session's state changes, as watchers ask for them (`StateField` of the contract).
package struct StateFields: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let identity = StateFields(rawValue: 1 << 1)
    package static let phase = StateFields(rawValue: 1 << 2)
    package static let position = StateFields(rawValue: 1 << 3)
    package static let duration = StateFields(rawValue: 1 << 4)
    package static let buffered = StateFields(rawValue: 1 << 5)
    package static let production = StateFields(rawValue: 1 << 6)
    package static let media = StateFields(rawValue: 1 << 7)
    package static let format = StateFields(rawValue: 1 << 8)
    package static let audio = StateFields(rawValue: 1 << 9)
    package static let settings = StateFields(rawValue: 1 << 10)
    package static let chapter = StateFields(rawValue: 1 << 11)
    package static let metadata = StateFields(rawValue: 1 << 12)
    package static let statistics = StateFields(rawValue: 1 << 13)
    package static let renderer = StateFields(rawValue: 1 << 14)
    package static let subtitles = StateFields(rawValue: 1 << 15)
    package static let all: StateFields = [
        .identity, .phase, .position, .duration, .buffered, .production, .media, .format, .audio, .settings, .chapter,
        .metadata, .statistics, .renderer, .subtitles,
    ]
}

extension SessionState {
    /// The groups in which this state differs from `other`. Revisions are not compared.
    package func changes(since other: SessionState) -> StateFields {
        var fields: StateFields = []
        if source != other.source || url != other.url { fields.insert(.identity) }
        if phase != other.phase { fields.insert(.phase) }
        if position != other.position { fields.insert(.position) }
        if duration != other.duration || seekable != other.seekable { fields.insert(.duration) }
        if buffered != other.buffered { fields.insert(.buffered) }
        if production != other.production { fields.insert(.production) }
        if media != other.media { fields.insert(.media) }
        if videoFormat != other.videoFormat || sourceVideoFormat != other.sourceVideoFormat || route != other.route
            || profile != other.profile
        {
            fields.insert(.format)
        }
        if selectedAudio != other.selectedAudio { fields.insert(.audio) }
        if volume != other.volume || isMuted != other.isMuted || isLooping != other.isLooping {
            fields.insert(.settings)
        }
        if chapter != other.chapter { fields.insert(.chapter) }
        if metadata != other.metadata || coverArtURL != other.coverArtURL { fields.insert(.metadata) }
        if statistics != other.statistics { fields.insert(.statistics) }
        if renderer != other.renderer { fields.insert(.renderer) }
        if subtitleTracks != other.subtitleTracks || selectedSubtitles != other.selectedSubtitles {
            fields.insert(.subtitles)
        }
        return fields
    }
}

/// One thing that happened to a session, as opposed to how the session is.
package struct Notice: Hashable, Sendable {
    package enum Severity: Hashable, Sendable { case info, warning }

    package var severity: Severity
    /// A word from the closed list in `docs/ipc.md`, such as `plan.index_rejected`.
    package var code: String
    package var message: String

    package init(_ severity: Severity, _ code: String, _ message: String) {
        self.severity = severity
        self.code = code
        self.message = message
    }
}
