// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// How sound reaches the player: copied where the player takes it, else decoded and encoded anew. The one table of it.
package enum AudioMatrix {
    /// One way to serve a stream. The ladder of a stream has the best first; a rung that proves impossible gives way to
    /// the next.
    package enum Rung: Hashable, Sendable {
        case copy(String)
        case bridge(AudioTarget, String)
    }

    /// What is known of a stream before any of it is decoded.
    package struct Facts: Hashable, Sendable {
        package var codec: CodecID
        /// libavcodec's name for the profile, such as `DTS-HD MA`.
        package var profile: String
        package var channels: Int
        /// Whether the container has an AudioSpecificConfig, or what else the codec is configured by.
        package var hasConfiguration: Bool
        /// Samples of a frame as the container's parser saw them; 0 when it did not.
        package var frameLength: Int
        /// Whether libavcodec decodes it.
        package var isDecodable: Bool

        package init(
            codec: CodecID,
            profile: String = "",
            channels: Int,
            hasConfiguration: Bool = true,
            frameLength: Int = 0,
            isDecodable: Bool = true
        ) {
            self.codec = codec
            self.profile = profile
            self.channels = channels
            self.hasConfiguration = hasConfiguration
            self.frameLength = frameLength
            self.isDecodable = isDecodable
        }
    }

    /// The ways to serve a stream to a player, the best first; none when it cannot be served at all.
    package static func ladder(for facts: Facts, profile: PlayerProfile, mode: BridgeMode) -> [Rung] {
        let refusal = refusal(of: facts, profile)
        let copy: [Rung] =
            refusal == nil ? [.copy("\(profile.name) plays \(facts.codec.rawValue), copied unchanged")] : []
        guard facts.isDecodable else { return copy }
        let because = refusal ?? "it cannot be copied as it is"
        return copy + targets(for: facts, profile, mode).map { .bridge($0, "\(because); \($0.summary)") }
    }

    // MARK: Copying

    /// Sentences that say why a stream is not copied; `nil` when it is.
    private static func refusal(of facts: Facts, _ profile: PlayerProfile) -> String? {
        let name = facts.codec.rawValue
        guard let format = format(of: facts) else {
            return facts.codec == .aac
                ? "AAC that does not say in its configuration how it is to be played" : "\(name) is not carried in HLS"
        }
        guard profile.formats.contains(format) else { return "\(profile.name) does not play \(format)" }
        guard facts.channels <= profile.maximumChannels else {
            return "\(profile.name) takes \(profile.maximumChannels) channels, not \(facts.channels)"
        }
        return nil
    }

    /// What a profile calls the format of a stream that fMP4 carries; `nil` for one that it does not carry.
    private static func format(of facts: Facts) -> String? {
        switch facts.codec {
        case .aac: aacFormat(facts)
        case .ac3: "ac-3"
        case .eac3: "ec-3"
        case .flac: "fLaC"
        case .alac: "alac"
        case .opus: "Opus"
        case .mp3: "mp4a.6B"
        default: nil
        }
    }

    /// The name that profiles have for what a CODECS string stands for.
    package static func profileFormat(of codecString: String) -> String {
        codecString == "mp4a.69" ? "mp4a.6B" : codecString
    }

    /// HE-AAC that only its frames tell of would be played at half its rate by players that believe the configuration;
    /// no channel configuration of ADTS stands for seven channels.
    private static func aacFormat(_ facts: Facts) -> String? {
        let isHighEfficiency = facts.profile.hasPrefix("HE-AAC") || facts.frameLength == 2048
        guard facts.hasConfiguration || !isHighEfficiency && facts.channels != 7 else { return nil }
        return switch facts.profile {
        case "HE-AAC": "mp4a.40.5"
        case "HE-AACv2": "mp4a.40.29"
        default: "mp4a.40.2"
        }
    }

    // MARK: Bridging

    private static func targets(for facts: Facts, _ profile: PlayerProfile, _ mode: BridgeMode) -> [AudioTarget] {
        let isLossless = isLossless(facts)
        let lossless = AudioTarget(codec: .flac, isLosslessSource: isLossless)
        let wanted = facts.channels > 2 ? profile.surroundBridges : profile.stereoBridges
        let usual = wanted.map { AudioTarget(codec: $0, isLosslessSource: isLossless) }
        let ladder = mode == .lossless ? [lossless] + usual : usual
        var seen: Set<CodecID> = []
        let taken = ladder.filter { profile.formats.contains($0.format) && seen.insert($0.codec).inserted }
        guard taken.isEmpty else { return taken }
        // A player that takes nothing of what is wished for hears what else there is an encoder for.
        return [.eac3, .ac3, .aac, .flac].map { AudioTarget(codec: $0, isLosslessSource: isLossless) }
            .filter { profile.formats.contains($0.format) }
    }

    /// Whether what is decoded is what was encoded.
    package static func isLossless(_ facts: Facts) -> Bool {
        if facts.codec.rawValue.hasPrefix("pcm_") {
            return !["pcm_alaw", "pcm_mulaw", "pcm_vidc"].contains(facts.codec.rawValue)
        }
        if facts.codec == .dts { return facts.profile == "DTS-HD MA" }
        let codecs = ["truehd", "mlp", "flac", "alac", "tta", "wavpack", "ape", "wmalossless", "mp4als", "shorten"]
        return codecs.contains(facts.codec.rawValue)
    }

    /// How long before a sample decoding has to begin for it to come out as in an uninterrupted pass, in seconds: bit
    /// reservoirs, overlapping transforms, units that cannot be entered anywhere, prediction from samples before.
    ///
    /// - Parameter frameLength: samples of its frames, 0 where they vary. AAC frames of 2048 are those of HE-AAC, which
    ///   says only now and then how its upper bands and its stereo image are coded, and else what changes.
    package static func preroll(of codec: CodecID, frameLength: Int64) -> Double {
        if [.aac, .aacLATM].contains(codec), frameLength >= 2048 { return 3 }
        // Its times are late by up to a few milliseconds, and right every few seconds.
        if codec.rawValue == "pcm_dvd" { return 6 }
        if codec.rawValue.hasPrefix("pcm_") { return 0.1 }
        if codec.rawValue.hasPrefix("wma") { return 1 }
        return switch codec {
        case .truehd, .mlp: 0.35
        case .ac3, .eac3, .opus: 0.15
        case .dts, .mp3, .mp2, .vorbis, .aac, .aacLATM: 0.3
        default: 0.5
        }
    }
}
