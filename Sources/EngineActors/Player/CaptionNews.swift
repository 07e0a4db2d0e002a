// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Captions that first show when playlists without them are announced: told of once.
struct CaptionNews {
    private var isTold = false

    /// - Returns: the channels, and what to say of them.
    mutating func news(in report: SegmentProducer.Report) -> (channels: [String], notice: Notice)? {
        guard !report.captionChannels.isEmpty, !isTold else { return nil }
        isTold = true
        let channels = report.captionChannels.sorted()
        let text =
            "pictures after the first ones carry captions (\(channels.joined(separator: ", "))); "
            + "the playlists do not announce them"
        return (channels, Notice(.info, "video.captions_found", text))
    }
}
