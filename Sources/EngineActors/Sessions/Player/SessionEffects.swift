// SPDX-License-Identifier: Apache-2.0

/// What of a session follows when some of its parts change (`PlaybackSession.change`).
struct SessionEffects: OptionSet {
    let rawValue: UInt8

    /// The virtual clock: other media is needed at the playhead.
    static let clock = Self(rawValue: 1)
    /// The cues on screen.
    static let screen = Self(rawValue: 2)
    /// The published timeline.
    static let timeline = Self(rawValue: 4)
    /// Where renderers continue at the end.
    static let looping = Self(rawValue: 8)
    /// The delays of audio and subtitles in renderers.
    static let delays = Self(rawValue: 16)
    /// The frame on screen.
    static let picture = Self(rawValue: 32)
}
