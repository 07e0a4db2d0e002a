// SPDX-License-Identifier: Apache-2.0

internal import Segments

/// The URLs of a session's master playlist and of the resources beside it.
enum SessionURLs {
    /// The URL of the cover art of the session whose master playlist is at `url`.
    static func cover(besideMaster url: String) -> String { Self.url(MediaRoute.coverPath, besideMaster: url) }

    /// The URL of the storyboard of the session whose master playlist is at `url`.
    static func storyboard(besideMaster url: String) -> String {
        Self.url(Playlists.storyboardName, besideMaster: url)
    }

    private static func url(_ path: String, besideMaster url: String) -> String {
        "\(url.prefix(upTo: url.lastIndex(of: "/") ?? url.endIndex))/\(path)"
    }

    static func master(_ base: String, _ token: String) -> String { "\(base)/\(token)/master.m3u8" }
}
