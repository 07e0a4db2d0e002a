// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A unit of which the cues of some tracks are still to be read.
struct MissingUnit: Hashable {
    let unit: Int
    let tracks: [SubtitleTrack]
}
