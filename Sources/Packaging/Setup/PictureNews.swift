// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// What a picture says of itself that the first pictures of its source did not.
package struct PictureNews: Hashable, Sendable {
    /// SMPTE ST 2094-40, in a video that was taken for HDR10.
    package var hasDynamicMetadata = false
    /// As INSTREAM-ID names them; empty unless the first pictures carried no captions and this one does.
    package var captionChannels: Set<String> = []
}

extension Track {
    /// Whether HDR10 can still become HDR10+: nothing else changes what a track is.
    private var mayShowDynamicMetadata: Bool {
        guard let video, dolbyVision == nil else { return false }
        return video.baseFormat == .hdr10
    }

    private var mayShowCaptions: Bool { video?.hasClosedCaptions == false }

    /// Whether pictures are worth looking at.
    package var mayShowNews: Bool { mayShowDynamicMetadata || mayShowCaptions }

    /// - Parameter packet: complete, as the container has it.
    package func news(in packet: [UInt8], _ transform: SampleTransform) -> PictureNews {
        let messages = VideoMessages(codec: codec, extradata: [], packets: [packet], transform: transform)
        var news = PictureNews()
        news.hasDynamicMetadata = mayShowDynamicMetadata && messages.hasDynamicMetadata
        if mayShowCaptions, messages.hasCaptions { news.captionChannels = messages.signalledCaptions }
        return news
    }
}
