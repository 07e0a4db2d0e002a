// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The parts of a session that must be updated after a change (`PlaybackSession.change`).
struct SessionEffects: OptionSet {
    let rawValue: UInt8

    /// The virtual clock: different media is needed at the playhead.
    static let clock = Self(rawValue: 1)
    /// The cues on screen.
    static let screen = Self(rawValue: 2)
    /// The published timeline.
    static let timeline = Self(rawValue: 4)
    /// The position at which renderers continue after the end.
    static let looping = Self(rawValue: 8)
    /// The delays of audio and subtitles in renderers.
    static let delays = Self(rawValue: 16)
    /// The frame on screen.
    static let frame = Self(rawValue: 32)
}

// What each command of a client affects. The switches list every case, so a new command does not compile without an entry.

extension PlayerCommand {
    /// The effects beyond those on the player, which `SessionTransport` handles itself.
    var effects: SessionEffects {
        switch self {
        case .setLooping, .setLoopPoints: .looping
        case .setAudioDelay, .setSubtitleDelay: .delays
        case .play, .pause, .seek, .setRate, .setVolume, .setMuted, .skipChapter: []
        }
    }

    var clockEffect: SessionTransport.ClockEffect {
        switch self {
        case .play, .pause, .setVolume, .setMuted, .setAudioDelay, .setSubtitleDelay: .continues
        case .seek, .setRate, .setLooping, .setLoopPoints, .skipChapter: .restarts
        }
    }
}

extension TrackCommand {
    var effects: SessionEffects {
        switch self {
        case .selectAudio: .clock
        case .selectSubtitles, .addSubtitles, .removeSubtitles: .screen
        }
    }
}
