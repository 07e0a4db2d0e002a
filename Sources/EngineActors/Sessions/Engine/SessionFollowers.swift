// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import Reading

/// The components that read the media of sessions independently of playback.
struct SessionFollowers: Sendable {
    let taps: AudioTaps
    let recordings: Recordings
    let loudness: LoudnessQueries

    init(
        _ hub: EventHub,
        _ sessions: SessionDirectory,
        _ keeping: SessionKeeping,
        _ opener: SourceOpener
    ) {
        taps = AudioTaps(hub, sessions)
        recordings = Recordings(hub, sessions, keeping)
        loudness = LoudnessQueries(hub: hub, opener: opener)
    }
}
