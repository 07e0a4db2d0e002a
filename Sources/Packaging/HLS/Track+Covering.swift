// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Track {
    /// What a master playlist says of a track whose configuration changes midway: RESOLUTION of the largest version and
    /// CODECS that cover all, so that a player is told no less than it gets.
    ///
    /// - Parameter versions: the track from each change on.
    package func covering(_ versions: [Track]) -> Track {
        var result = self
        result.codecString = CodecString.covering([codecString] + versions.map(\.codecString))
        for version in versions {
            guard let found = version.video, let known = result.video else { continue }
            let (size, largest) = (DisplaySize(found), DisplaySize(known))
            guard size.width * size.height > largest.width * largest.height else { continue }
            result.video?.width = found.width
            result.video?.height = found.height
            result.video?.sampleAspectRatio = found.sampleAspectRatio
        }
        return result
    }
}
