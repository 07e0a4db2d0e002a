// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Subtitles

/// Caption channels first seen after playlists without them were published. Each channel is reported once.
struct CaptionNews {
    /// The channels reported so far, named as in the INSTREAM-ID attribute.
    private(set) var found: Set<String> = []

    /// - Parameters:
    ///   - channels: all caption channels that pictures have carried so far.
    ///   - video: the video's description when the source was opened.
    /// - Returns: the channels that were neither announced nor reported before.
    mutating func news(in channels: Set<String>, of video: VideoProperties) -> Set<String> {
        let new = channels.subtracting(video.announcedCaptions).subtracting(found)
        found.formUnion(new)
        return new
    }

    /// The notice that reports new channels.
    static func notice(of channels: Set<String>) -> Notice {
        let names = channels.sorted().joined(separator: ", ")
        return Notice(
            .info,
            "video.captions_found",
            "pictures after the first ones carry captions (\(names)); playlists that were fetched before do not name them"
        )
    }
}
