// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension Track {
    /// Whether dynamic metadata in its pictures would change what the track is: HDR10 alone can become HDR10+.
    package var mayShowDynamicMetadata: Bool {
        guard let video, dolbyVision == nil else { return false }
        return video.baseFormat == .hdr10
    }

    /// Whether a picture carries dynamic metadata of SMPTE ST 2094-40.
    ///
    /// - Parameter packet: complete, as the container has it.
    package func showsDynamicMetadata(_ packet: [UInt8], _ transform: SampleTransform) -> Bool {
        VideoMessages(codec: codec, extradata: [], packets: [packet], transform: transform).hasDynamicMetadata
    }
}
