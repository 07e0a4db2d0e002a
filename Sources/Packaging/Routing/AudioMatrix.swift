// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides how audio reaches the player: remuxed if the player supports it, otherwise bridged. No other code decides
/// this.
package enum AudioMatrix {
    /// One way to serve a stream, with the reason for it in words. A stream's ladder starts with the best rung. If a
    /// rung turns out to be impossible, the next one is used.
    package enum Rung: Hashable, Sendable {
        case remux(format: String, String)
        case bridge(AudioTarget, String)

        /// The format that the player gets, as its profile names it.
        package var format: String {
            switch self {
            case .remux(let format, _): format
            case .bridge(let target, _): target.format
            }
        }
    }

    /// The known properties of a stream before decoding.
    package struct Facts: Hashable, Sendable {
        package var codec: CodecID
        /// libavcodec's name for the profile, such as `DTS-HD MA`.
        package var profile: String
        package var channels: Int
        /// Bits per sample of a lossless codec; 0 if unknown.
        package var bitDepth: Int
        /// Whether the container has an AudioSpecificConfig, or the equivalent configuration of another codec.
        package var hasConfiguration: Bool
        /// Samples per frame according to the container's parser; 0 if unknown.
        package var frameLength: Int
        /// Whether libavcodec can decode the stream.
        package var isDecodable: Bool
        /// `false` once its first packets have shown that it cannot be remuxed.
        package var isRemuxable = true
        /// Why the stream is not remuxed although it could be: its audio is changed before it is served. `nil` if its
        /// audio is not changed.
        package var treatment: String?

        package init(
            codec: CodecID,
            profile: String = "",
            channels: Int,
            bitDepth: Int = 0,
            hasConfiguration: Bool = true,
            frameLength: Int = 0,
            isDecodable: Bool = true
        ) {
            self.codec = codec
            self.profile = profile
            self.channels = channels
            self.bitDepth = bitDepth
            self.hasConfiguration = hasConfiguration
            self.frameLength = frameLength
            self.isDecodable = isDecodable
        }
    }

    /// The ways to serve a stream to a player, best first. Empty if it cannot be served at all.
    ///
    /// - Parameter family: the formats that the player accepts together with those of the other tracks. `nil`: all
    ///   formats of the profile.
    package static func ladder(
        for facts: Facts,
        profile: PlayerProfile,
        mode: BridgeMode,
        family: Set<String>? = nil
    ) -> [Rung] {
        let formats = family.map(profile.formats.intersection) ?? profile.formats
        let because: String
        var remux: [Rung] = []
        switch remuxing(facts, profile, formats) {
        case .success(let format):
            because = "it cannot be remuxed"
            remux = [.remux(format: format, "\(profile.label) plays \(facts.codec.rawValue): remuxed")]
        case .failure(let refusal): because = refusal.reason
        }
        guard facts.isDecodable else { return remux }
        let reason = remux.isEmpty ? because : facts.treatment ?? because
        let bridges = targets(for: facts, profile, formats, mode).map { Rung.bridge($0, "\(reason); \($0.summary)") }
        // If no bridge works, the stream is remuxed.
        return facts.treatment == nil ? remux + bridges : bridges + remux
    }

    // MARK: Remuxing

    /// Why a stream is not remuxed.
    private struct Refusal: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// The most bits per sample of FLAC that a player supports, unless its profile says otherwise. Browsers play FLAC
    /// with more bits as silence.
    private static let usualDepth = 24

    /// The format of a remuxed stream, or why it is not remuxed.
    private static func remuxing(
        _ facts: Facts,
        _ profile: PlayerProfile,
        _ formats: Set<String>
    ) -> Result<String, Refusal> {
        let name = facts.codec.rawValue
        guard facts.isRemuxable else { return .failure(Refusal("it cannot be remuxed")) }
        guard let format = format(of: facts) else {
            let isAAC = facts.codec == .aac
            let unsignalled = "without a configuration, this AAC cannot be signalled unchanged"
            return .failure(Refusal(isAAC ? unsignalled : "HLS does not carry \(name)"))
        }
        guard profile.formats.contains(format) else {
            return .failure(Refusal("\(profile.label) does not play \(format)"))
        }
        guard formats.contains(format) else {
            return .failure(Refusal("\(profile.label) does not play \(format) beside the format of the other tracks"))
        }
        let depth = profile.bitDepths[format] ?? usualDepth
        guard facts.codec != .flac || facts.bitDepth <= depth else {
            return .failure(Refusal("\(profile.label) plays \(format) of up to \(depth) bits, not \(facts.bitDepth)"))
        }
        guard facts.channels <= profile.maximumChannels else {
            let limit = profile.maximumChannels
            return .failure(Refusal("\(profile.label) supports up to \(limit) channels, not \(facts.channels)"))
        }
        return .success(format)
    }

    /// The profile's name for the format of a stream; `nil` if fMP4 cannot carry it.
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

    /// The profile's name for the format of a CODECS string.
    package static func profileFormat(of codecString: String) -> String {
        codecString == "mp4a.69" ? "mp4a.6B" : codecString
    }

    /// HE-AAC signalled only in its frames would be played at half its rate by players that rely on the configuration,
    /// and ADTS has no channel configuration for seven channels. Neither is remuxed.
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

    private static func targets(
        for facts: Facts,
        _ profile: PlayerProfile,
        _ formats: Set<String>,
        _ mode: BridgeMode
    ) -> [AudioTarget] {
        let isLossless = isLossless(facts)
        let lossless = AudioTarget(codec: .flac, isLosslessSource: isLossless)
        let wanted = facts.channels > 2 ? profile.surroundBridges : profile.stereoBridges
        let usual = wanted.map { AudioTarget(codec: $0, isLosslessSource: isLossless) }
        let ladder = mode == .lossless ? [lossless] + usual : usual
        var seen: Set<CodecID> = []
        let taken = ladder.filter { formats.contains($0.format) && seen.insert($0.codec).inserted }
        guard taken.isEmpty else { return taken }
        // If none of the preferred bridges is possible, any supported format with an encoder is used.
        return [.eac3, .ac3, .aac, .flac].map { AudioTarget(codec: $0, isLosslessSource: isLossless) }
            .filter { formats.contains($0.format) }
    }

    /// Whether decoding restores exactly what was encoded.
    package static func isLossless(_ facts: Facts) -> Bool {
        if facts.codec.rawValue.hasPrefix("pcm_") {
            return !["pcm_alaw", "pcm_mulaw", "pcm_vidc"].contains(facts.codec.rawValue)
        }
        if facts.codec == .dts { return facts.profile == "DTS-HD MA" }
        let codecs = ["truehd", "mlp", "flac", "alac", "tta", "wavpack", "ape", "wmalossless", "mp4als", "shorten"]
        return codecs.contains(facts.codec.rawValue)
    }

    /// The number of seconds before a sample at which decoding must begin, so that the sample is the same as in an
    /// uninterrupted pass. Reasons: bit reservoirs, overlapping transforms, units that are not random access points,
    /// prediction from earlier samples.
    ///
    /// - Parameter frameLength: samples per frame, 0 if they vary. AAC frames of 2048 samples are HE-AAC, which codes
    ///   its SBR and PS parameters completely only now and then, and only their changes in between.
    package static func preroll(of codec: CodecID, frameLength: Int64) -> Double {
        if [.aac, .aacLATM].contains(codec), frameLength >= 2048 { return 3 }
        // DVD PCM timestamps are up to a few milliseconds late, and exact only every few seconds.
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
