// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension Track {
    /// Whether HDR10 can still become HDR10+: nothing else changes what a track is.
    package var mayShowDynamicMetadata: Bool {
        guard let video, dolbyVision == nil else { return false }
        return video.baseFormat == .hdr10
    }

    /// Whether a picture carries SMPTE ST 2094-40, in a video that was taken for HDR10.
    ///
    /// - Parameter packet: complete, as the container has it.
    package func showsDynamicMetadata(_ packet: [UInt8], _ transform: SampleTransform) -> Bool {
        guard mayShowDynamicMetadata else { return false }
        return VideoMessages(codec: codec, extradata: [], packets: [packet], transform: transform).hasDynamicMetadata
    }
}
