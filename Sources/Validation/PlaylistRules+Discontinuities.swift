// SPDX-License-Identifier: Apache-2.0

extension PlaylistRules {
    /// The largest accepted distance between corresponding boundaries of renditions, in seconds: an audio frame, plus
    /// the muxer's offset.
    private static let tolerance = 0.25

    /// Renditions of one presentation must have discontinuities at the same times (RFC 8216 §6.2.4). Checked up to the
    /// end of the shorter playlist.
    ///
    /// - Parameter playlists: the final media playlists of one master playlist.
    package static func discontinuityProblems(of playlists: [ParsedPlaylist]) -> [ValidationProblem] {
        guard let first = playlists.first else { return [] }
        let wanted = discontinuities(of: first)
        return playlists.dropFirst().compactMap { playlist in
            let reach = min(first.duration, playlist.duration) - tolerance
            let (ours, theirs) = (wanted.filter { $0 < reach }, discontinuities(of: playlist).filter { $0 < reach })
            guard ours.count != theirs.count || zip(ours, theirs).contains(where: { abs($0 - $1) > tolerance }) else {
                return nil
            }
            return ValidationProblem(
                "RFC 8216 §6.2.4",
                playlist.uri,
                "it has discontinuities at \(text(theirs)), but \(first.uri) at \(text(ours))"
            )
        }
    }

    /// In seconds from the start of the playlist.
    private static func discontinuities(of playlist: ParsedPlaylist) -> [Double] {
        var time = 0.0
        var found: [Double] = []
        for segment in playlist.segments {
            if segment.isDiscontinuous { found.append(time) }
            time += segment.duration
        }
        return found
    }

    private static func text(_ times: [Double]) -> String {
        times.isEmpty ? "no position" : times.map { "\(($0 * 1000).rounded() / 1000) s" }.joined(separator: ", ")
    }
}
