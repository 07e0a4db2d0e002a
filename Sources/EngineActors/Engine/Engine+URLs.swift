// SPDX-License-Identifier: Apache-2.0

// Where the resources of a session are served.
extension Engine {
    /// Where the picture of a session is, whose master playlist is at `url`.
    static func coverURL(besideMaster url: String) -> String { Self.url(MediaRoute.coverPath, besideMaster: url) }

    /// Likewise its small pictures.
    static func storyboardURL(besideMaster url: String) -> String {
        Self.url(Playlists.storyboardName, besideMaster: url)
    }

    private static func url(_ path: String, besideMaster url: String) -> String {
        "\(url.prefix(upTo: url.lastIndex(of: "/") ?? url.endIndex))/\(path)"
    }

    static func url(_ base: String, _ token: String) -> String { "\(base)/\(token)/master.m3u8" }
}
