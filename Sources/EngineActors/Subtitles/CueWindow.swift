// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The cues around a session's playhead.
package struct CueWindow: Sendable {
    package var cues: [Cue] = []
    /// The reasons why some cues are missing.
    package var failures = CueFailures()
    /// Whether cues are missing because they exceed the limit.
    package var isCut = false
}

/// The reasons why cues of the shown tracks could not be read at the last attempt. A track that fails does not keep the
/// others from being read.
package struct CueFailures: Hashable, Sendable {
    /// By track.
    private var tracks: [Int: EngineError] = [:]
    /// The reason why the search for cues that stay on screen for a long time cannot continue. This affects all tracks.
    package var search: EngineError?

    package init() {}

    /// The last failure of a track; `nil` if its latest unit was decoded.
    package subscript(track: Int) -> EngineError? {
        get { tracks[track] }
        set { tracks[track] = newValue }
    }

    /// The failures, ordered by track.
    package var byTrack: [(track: Int, error: EngineError)] {
        tracks.sorted { $0.key < $1.key }.map { (track: $0.key, error: $0.value) }
    }
}
