// SPDX-License-Identifier: Apache-2.0

import EngineModel

extension Track {
    /// Whether HDR10 may still turn out to be HDR10+. No other property changes after setup.
    package var mayShowDynamicMetadata: Bool {
        guard let video, dolbyVision == nil else { return false }
        return video.baseFormat == .hdr10
    }

    /// Whether a picture carries SMPTE ST 2094-40 metadata, in a video so far classified as HDR10.
    ///
    /// - Parameter packet: complete, as in the container.
    package func showsDynamicMetadata(_ packet: Span<UInt8>, _ transform: SampleTransform) -> Bool {
        guard mayShowDynamicMetadata else { return false }
        var messages = VideoMessages()
        messages.read(packet, codec, transform)
        return messages.hasDynamicMetadata
    }
}
