// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Captions that first show when playlists without them are announced: each channel is told of once.
struct CaptionNews {
    /// As INSTREAM-ID names them.
    private(set) var found: Set<String> = []

    /// - Parameters:
    ///   - channels: that pictures have carried so far.
    ///   - video: as it was described when the source was opened.
    /// - Returns: those that nobody knew of.
    mutating func news(in channels: Set<String>, of video: VideoProperties) -> Set<String> {
        let new = channels.subtracting(video.announcedCaptions).subtracting(found)
        found.formUnion(new)
        return new
    }

    /// What there is to say of new ones.
    static func notice(of channels: Set<String>) -> Notice {
        let names = channels.sorted().joined(separator: ", ")
        return Notice(
            .info,
            "video.captions_found",
            "pictures after the first ones carry captions (\(names)); playlists that were fetched before do not name them"
        )
    }
}
