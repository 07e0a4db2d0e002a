// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides how all audio tracks of one source reach the player, in formats that it accepts side by side.
package enum AudioFamilies {
    /// The ways to serve each track, best first.
    ///
    /// A track alone, or tracks of a player that accepts all formats side by side, have the ladders of `AudioMatrix`.
    /// Otherwise all ladders lead to one family of the profile: the one in which most tracks can be served, and of
    /// these the one that changes the fewest channels.
    ///
    /// - Parameter tracks: by stream index.
    package static func ladders(
        for tracks: [Int: AudioMatrix.Facts],
        profile: PlayerProfile,
        mode: BridgeMode
    ) -> [Int: [AudioMatrix.Rung]] {
        let alone = tracks.mapValues { AudioMatrix.ladder(for: $0, profile: profile, mode: mode) }
        guard alone.values.count(where: { !$0.isEmpty }) > 1, !profile.audioFamilies.isEmpty else { return alone }
        var best = (score: Score(tracks: -1, channels: 0), ladders: alone)
        for family in profile.audioFamilies {
            let ladders = tracks.mapValues {
                AudioMatrix.ladder(for: $0, profile: profile, mode: mode, family: family)
            }
            var score = Score(tracks: 0, channels: 0)
            for (index, ladder) in ladders {
                guard let rung = ladder.first, let facts = tracks[index] else { continue }
                score.tracks += 1
                if keeps(rung, alone[index]?.first, mode) { score.channels += max(1, facts.channels) }
            }
            if best.score < score { best = (score, ladders) }
        }
        return best.ladders
    }

    /// How well a family serves the tracks of a source.
    private struct Score: Comparable {
        var tracks: Int
        /// The total channels of the tracks that lose nothing compared with being served alone.
        var channels: Int

        static func < (one: Score, other: Score) -> Bool {
            (one.tracks, one.channels) < (other.tracks, other.channels)
        }
    }

    /// Whether a track loses nothing on this rung compared with being the only track.
    private static func keeps(_ rung: AudioMatrix.Rung, _ alone: AudioMatrix.Rung?, _ mode: BridgeMode) -> Bool {
        switch rung {
        case .remux: true
        case .bridge(let target, _): mode == .lossless ? target.isLossless : target.format == alone?.format
        }
    }
}
