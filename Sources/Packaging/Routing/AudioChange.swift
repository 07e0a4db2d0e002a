// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides how audio reaches the player where a source goes on in another format, as in an ad break.
package enum AudioChange {
    /// One way to serve the audio from there on.
    package enum Way: Hashable, Sendable {
        /// Remuxed, with a version of the init segment. The profile's name of the format.
        case version(String)
        /// Decoded and encoded again, also with a version of the init segment.
        case bridge(AudioTarget)
    }

    /// The ways to serve audio in another format in a track that is remuxed, best first. Empty if there is none.
    ///
    /// The player must accept the new format beside those that it gets already. If it does not, the audio is encoded to
    /// the format of the track, or else to another format that the player accepts beside it.
    ///
    /// - Parameters:
    ///   - facts: of the new format.
    ///   - served: the profile's name of the format that the track is served in.
    ///   - others: the profile's names of the formats in which all tracks are served.
    package static func ways(
        for facts: AudioMatrix.Facts,
        in served: String,
        beside others: Set<String>,
        profile: PlayerProfile,
        mode: BridgeMode
    ) -> [Way] {
        let ladder = AudioMatrix.ladder(
            for: facts,
            profile: profile,
            mode: mode,
            family: family(of: others.union([served]), profile)
        )
        let own = target(for: served, facts).filter { facts.isDecodable && profile.formats.contains($0.format) }
        var ways: [Way] = []
        for rung in ladder {
            if case .remux(let format, _) = rung { ways.append(.version(format)) }
        }
        ways += own.map { .bridge($0) }
        for case .bridge(let target, _) in ladder where !own.contains(target) { ways.append(.bridge(target)) }
        return ways
    }

    /// Whether the player accepts audio in another codec beside a format.
    package static func accepts(othersBeside format: String, _ profile: PlayerProfile) -> Bool {
        let accepted = family(of: [format], profile).map(profile.formats.intersection) ?? profile.formats
        return accepted.contains { codec(of: $0) != codec(of: format) }
    }

    /// Formats of AAC are one codec.
    private static func codec(of format: String) -> String { format.hasPrefix("mp4a.40.") ? "mp4a.40" : format }

    /// The formats that the player accepts beside `formats`. `nil`: all of its formats.
    private static func family(of formats: Set<String>, _ profile: PlayerProfile) -> Set<String>? {
        guard !profile.audioFamilies.isEmpty else { return nil }
        let families = profile.audioFamilies.filter(formats.isSubset)
        return families.isEmpty ? formats : families.reduce([]) { $0.union($1) }
    }

    /// The encoder for a format; empty if there is none.
    private static func target(for format: String, _ facts: AudioMatrix.Facts) -> [AudioTarget] {
        let codec = format.hasPrefix("mp4a.40.") ? .aac : encoded[format]
        return codec.map { [AudioTarget(codec: $0, isLosslessSource: AudioMatrix.isLossless(facts))] } ?? []
    }

    private static let encoded: [String: CodecID] = ["ac-3": .ac3, "ec-3": .eac3, "fLaC": .flac]
}
