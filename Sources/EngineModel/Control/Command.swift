// SPDX-License-Identifier: Apache-2.0

/// What can be asked of a session. Each answers, also when it changes nothing.
package enum Command: Hashable, Sendable {
    case play
    case pause
    /// Clamped to the timeline. Relative targets add to where the playhead is.
    case seek(to: MediaTime, isRelative: Bool)
    /// Clamped to 0 … 2.
    case setRate(Double)
    /// Makes another audio track the default one.
    case selectAudio(AudioSelection)
    case stop
}

/// A command, for whom it is, and what it depends on.
package struct CommandRequest: Hashable, Sendable {
    /// `nil`: the default session.
    package var session: SessionID?
    /// Refused with `revisionConflict` unless the session is at this revision.
    package var ifRevision: UInt64?
    package var command: Command

    package init(session: SessionID?, ifRevision: UInt64? = nil, command: Command) {
        self.session = session
        self.ifRevision = ifRevision
        self.command = command
    }
}

/// What a command led to.
package struct CommandResult: Sendable {
    package var state: SessionState
    /// Whether an argument was out of range and moved into it.
    package var isClamped: Bool

    package init(state: SessionState, isClamped: Bool = false) {
        self.state = state
        self.isClamped = isClamped
    }
}

/// A source to open, and how.
package struct LoadRequest: Hashable, Sendable {
    /// An absolute path or a `file:` URL.
    package var source: String
    package var startPosition = MediaTime.zero
    package var options = LoadOptions()

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
