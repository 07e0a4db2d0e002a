// SPDX-License-Identifier: Apache-2.0

internal import Decoding
internal import Reading

/// The components that work with the sessions of an engine without owning them.
///
/// Thread-safety: safe.
struct SessionServices: Sendable {
    let taps: AudioTaps
    let recordings: Recordings
    let loudness: LoudnessQueries
    let commands: SessionCommands
    let handovers: SessionHandovers

    init(
        _ hub: EventHub,
        _ sessions: SessionDirectory,
        _ keeping: SessionKeeping,
        _ opener: SourceOpener
    ) {
        taps = AudioTaps(hub, sessions)
        recordings = Recordings(hub, sessions, keeping)
        loudness = LoudnessQueries(hub: hub, opener: opener)
        handovers = SessionHandovers(sessions)
        commands = SessionCommands(hub, keeping, recordings, SharedRefreshes(hub, sessions, keeping, opener))
    }
}
