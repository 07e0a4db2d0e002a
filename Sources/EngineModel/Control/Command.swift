// SPDX-License-Identifier: Apache-2.0

/// What can be asked of a session. Each answers, also when it changes nothing.
package enum Command: Hashable, Sendable {
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
    case stop
}

/// A command, for whom it is, and what it depends on.
package struct CommandRequest: Hashable, Sendable {
    /// `nil`: the default session.
    package var session: SessionID?
    /// Refused with `revisionConflict` unless the session is at this revision.
    package var ifRevision: UInt64?
    package var command: Command
    /// A request with an id that was answered before gets that answer again. Empty: none.
    package var requestID: String

    package init(session: SessionID?, ifRevision: UInt64? = nil, requestID: String = "", command: Command) {
        self.session = session
        self.ifRevision = ifRevision
        self.requestID = requestID
        self.command = command
    }
}

/// A wish to be somewhere else on the timeline.
package struct SeekCommand: Hashable, Sendable {
    /// What lies outside the timeline is clamped to it.
    package enum Target: Hashable, Sendable {
        case position(MediaTime)
        /// Added to where the playhead is.
        case relative(MediaTime)
        case begin, end
    }

    package enum Mode: Hashable, Sendable, CaseIterable {
        case exact
        /// To the nearest segment boundary at or before the target.
        case keyframe
    }

    package var target: Target
    package var mode: Mode
    /// Whether it plays from there; `nil`: as it did before.
    package var thenPlay: Bool?

    package init(_ target: Target, mode: Mode = .exact, thenPlay: Bool? = nil) {
        self.target = target
        self.mode = mode
        self.thenPlay = thenPlay
    }
}

/// What a command led to.
package struct CommandResult: Sendable {
    package var state: SessionState
    /// Whether an argument was out of range and moved into it.
    package var isClamped: Bool
    /// The seek it began, as `SeekEvent.id`.
    package var seekID: UInt64?

    package init(state: SessionState, isClamped: Bool = false, seekID: UInt64? = nil) {
        self.state = state
        self.isClamped = isClamped
        self.seekID = seekID
    }
}

/// A source to open, and how.
package struct LoadRequest: Hashable, Sendable {
    /// An absolute path or a `file:` URL.
    package var source: String
    package var startPosition = MediaTime.zero
    package var options = LoadOptions()
    /// The session whose source it replaces; `nil`: a new one.
    package var session: SessionID?
    /// Sent with every request for a source that is fetched over HTTP.
    package var httpHeaders: [HTTPHeader] = []
    /// As `CommandRequest.requestID`.
    package var requestID = ""

    package init(source: String) { self.source = source }
}

package struct LoadOptions: Hashable, Sendable {
    package var segmentTarget = MediaTime.seconds(4)
    package var isAutoplay = false
    package var profile = PlayerProfile.everything
    package var bridgeMode = BridgeMode.surround
    /// Whether Dolby Vision is signalled where the player takes it; else its base layer is served as what it is.
    package var hasDolbyVision = true
    /// Which audio track is the default one.
    package var audio = AudioSelection.automatic
    /// Which subtitle tracks are shown.
    package var subtitles = SubtitleSelection.automatic
    /// Whether cues of scripts carry their lines.
    package var preservesScripts = false
    /// How long a phase may last before it is reported as stuck, where that differs from the engine's settings. Zero: for
    /// ever.
    package var timeouts: [Phase.Name: Duration] = [:]
    /// The rates that may be chosen. `nil`: as the engine's settings say.
    package var rateRange: ClosedRange<Double>?

    package init() {}
}

/// Which audio track is wanted. What does not name a track that is served falls back to `automatic`.
package enum AudioSelection: Hashable, Sendable {
    /// The track the source marks as default, else its first.
    case automatic
    /// By stream index in the source.
    case stream(Int)
    /// The first language of the list that a track has: ISO 639-1, 639-2/B, 639-2/T or an English name, in any case.
    case languages([String])
}
