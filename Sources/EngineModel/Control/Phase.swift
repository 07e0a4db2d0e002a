// SPDX-License-Identifier: Apache-2.0

/// The activity of a session.
public enum Phase: Hashable, Sendable {
    /// Nothing is loaded.
    case idle
    /// The source is being opened and planned.
    case opening
    /// Playable, and not started since it was loaded.
    case ready
    /// Playback was requested; the renderer has not confirmed yet that it plays.
    case play
    case playing
    /// A pause was requested; the renderer has not confirmed yet that it has stopped.
    case pausing
    case paused
    /// Playback is waiting for media at the playhead.
    case buffering
    /// The media at a new position is being fetched.
    case seeking
    case ended
    /// Resources are being released.
    case stopping
    case error(EngineError)

    public var name: Name {
        switch self {
        case .idle: .idle
        case .opening: .opening
        case .ready: .ready
        case .play: .play
        case .playing: .playing
        case .pausing: .pausing
        case .paused: .paused
        case .buffering: .buffering
        case .seeking: .seeking
        case .ended: .ended
        case .stopping: .stopping
        case .error: .error
        }
    }

    /// A phase without its associated value. `rawValue` is the word in logs, JSON and settings.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        case idle, opening, ready, play, playing, pausing, paused, buffering, seeking, ended, stopping, error
    }
}

extension Phase.Name {
    /// The phases a session may enter from this one. Matches the table in `docs/states.md`.
    package var successors: Set<Phase.Name> {
        switch self {
        case .idle: [.opening, .stopping]
        case .opening: [.ready, .paused, .ended, .error, .stopping, .idle]
        case .ready: [.play, .playing, .buffering, .seeking, .ended, .opening, .stopping, .error]
        case .play: [.playing, .buffering, .pausing, .paused, .seeking, .ended, .opening, .stopping, .error]
        case .playing: [.play, .buffering, .pausing, .paused, .seeking, .ended, .opening, .stopping, .error]
        case .pausing: [.paused, .play, .playing, .buffering, .seeking, .ended, .opening, .stopping, .error]
        case .paused: [.play, .playing, .buffering, .seeking, .ended, .opening, .stopping, .error]
        case .buffering: [.play, .playing, .pausing, .paused, .seeking, .ended, .opening, .stopping, .error]
        case .seeking: [.play, .playing, .pausing, .paused, .buffering, .ended, .opening, .stopping, .error]
        case .ended: [.playing, .paused, .buffering, .seeking, .opening, .stopping, .error]
        case .stopping: [.idle]
        case .error: [.opening, .stopping]
        }
    }

    /// How long a session may stay in this phase before it is reported as stuck, if no setting says otherwise. `nil`:
    /// no limit.
    package var defaultTimeout: Duration? {
        switch self {
        case .opening: .seconds(15)
        case .play, .pausing, .stopping: .seconds(10)
        case .buffering: .seconds(30)
        case .seeking: .seconds(20)
        // A session may stay in these phases for any length of time.
        case .ready, .idle, .playing, .paused, .ended, .error: nil
        }
    }

    /// Whether a setting can limit how long a session stays in this phase.
    package var canTimeOut: Bool { self == .ready || defaultTimeout != nil }
}
