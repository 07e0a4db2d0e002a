// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The cues around the playhead of a session.
package struct CueWindow: Sendable {
    package var cues: [Cue] = []
    /// Why some cues are missing.
    package var failures = CueFailures()
    /// Whether cues are left out because there are more than the limit.
    package var isCut = false
}

/// Why cues of the tracks that are shown could not be read when it was last tried. A track that fails does not hold up
/// the others.
package struct CueFailures: Hashable, Sendable {
    /// By track.
    private var tracks: [Int: EngineError] = [:]
    /// Why the search for cues that stay on screen for a long time cannot continue. This affects all tracks.
    package var search: EngineError?

    package init() {}

    /// `nil` for a track whose latest unit was decoded.
    package subscript(track: Int) -> EngineError? {
        get { tracks[track] }
        set { tracks[track] = newValue }
    }

    /// In the order of their tracks.
    package var byTrack: [(track: Int, error: EngineError)] {
        tracks.sorted { $0.key < $1.key }.map { (track: $0.key, error: $0.value) }
    }
}
