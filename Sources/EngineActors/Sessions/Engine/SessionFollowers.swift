// SPDX-License-Identifier: Apache-2.0

/// The components that read the media of sessions independently of playback.
struct SessionFollowers: Sendable {
    let taps: AudioTaps
    let recordings: Recordings

    init(_ hub: EventHub, _ sessions: SessionDirectory, _ keeping: SessionKeeping) {
        taps = AudioTaps(hub, sessions)
        recordings = Recordings(hub, sessions, keeping)
    }
}
