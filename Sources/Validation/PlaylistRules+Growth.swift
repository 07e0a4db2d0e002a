// SPDX-License-Identifier: Apache-2.0

extension PlaylistRules {
    /// How long a growing playlist is followed without a new segment, in seconds: 1.5 target durations, within which
    /// one has to appear whatever the type of the playlist (§6.2.1). At least 30 s, in case the server's source pauses.
    package static func patience(with playlist: ParsedPlaylist) -> Double { max(30, limit(of: playlist)) }

    /// The problem of a playlist without EXT-X-ENDLIST that had no new segment for `patience`.
    package static func stall(of playlist: ParsedPlaylist) -> ValidationProblem {
        ValidationProblem(
            "RFC 8216 §6.2.1",
            playlist.uri,
            "no segment has followed for \(whole(patience(with: playlist))) s; without ENDLIST, one has to follow within 1.5 "
                + "target durations (\(whole(limit(of: playlist))) s)"
        )
    }

    private static func limit(of playlist: ParsedPlaylist) -> Double { Double(playlist.targetDuration ?? 0) * 1.5 }

    private static func whole(_ seconds: Double) -> Int { Int(seconds.rounded(.up)) }
}
