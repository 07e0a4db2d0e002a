// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Track {
    /// The track as a master playlist describes it if its configuration changes midway: RESOLUTION of the largest
    /// version, and CODECS that cover all versions in the same codec, so that the playlist never understates the
    /// requirements.
    ///
    /// - Parameter versions: the track after each change.
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
