// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Segments

/// The URLs of a session's master playlist and of the resources beside it.
enum SessionURLs {
    /// The URL of the cover of the session whose master playlist is at `url`.
    static func cover(besideMaster url: String) -> String { Self.url(MediaRoute.coverPath, besideMaster: url) }

    /// The URL of the storyboard of the session whose master playlist is at `url`.
    static func storyboard(besideMaster url: String) -> String {
        Self.url(Playlists.storyboardName, besideMaster: url)
    }

    private static func url(_ path: String, besideMaster url: String) -> String {
        "\(url.prefix(upTo: url.lastIndex(of: "/") ?? url.endIndex))/\(path)"
    }

    static func master(_ base: String, _ token: String) -> String { "\(base)/\(token)/master.m3u8" }

    /// The URL of the master playlist at `url` with these delays, whatever delays `url` has.
    static func master(_ url: String, delayedBy delays: Delays) -> String {
        let plain = String(url.prefix { $0 != "?" })
        let query = MediaRoute.query(of: delays)
        return plain.isEmpty || query.isEmpty ? plain : "\(plain)?\(query)"
    }
}

extension SessionState {
    /// Sets the delays, and adapts the URL of the session, which contains them.
    mutating func delay(by delays: Delays) {
        self.delays = delays
        url = SessionURLs.master(url, delayedBy: delays)
    }

    /// Sets the URL of the session, and adapts those of the resources beside its master playlist.
    ///
    /// - Parameter url: the URL of the master playlist, without delays.
    mutating func moveURLs(besideMaster url: String) {
        self.url = SessionURLs.master(url, delayedBy: delays)
        if !coverArtURL.isEmpty { coverArtURL = SessionURLs.cover(besideMaster: url) }
        if !storyboardURL.isEmpty { storyboardURL = SessionURLs.storyboard(besideMaster: url) }
    }
}
