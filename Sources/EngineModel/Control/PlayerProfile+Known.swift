// SPDX-License-Identifier: Apache-2.0

// The values a profile may contain, and how to look up and check profiles.
extension PlayerProfile {
    public static let customName = "custom"

    public static let knownFormats: Set<String> = [
        "avc1", "avc3", "hvc1", "hev1", "dvh1", "av01", "dav1", "vp09", "mp4a.40.2", "mp4a.40.5", "mp4a.40.29",
        "mp4a.6B", "ac-3", "ec-3", "fLaC", "alac", "Opus",
    ]
    public static let knownDolbyVision: Set<String> = ["5", "8.1", "8.2", "8.4", "9", "10.0", "10.1", "10.4"]
    /// One family for each codec, for players that do not change the codec within a presentation.
    public static let codecFamilies: [Set<String>] = [
        ["mp4a.40.2", "mp4a.40.5", "mp4a.40.29"], ["ec-3"], ["ac-3"], ["Opus"], ["fLaC"], ["alac"], ["mp4a.6B"],
    ]
    /// The codecs with an encoder for bridging audio.
    public static let knownBridges: [CodecID] = [.eac3, .ac3, .aac, .flac]
    /// The codecs with an encoder for bridging video. The first is the one that costs the least.
    public static let knownVideoBridges: [CodecID] = [.h264, .vp9, .av1]

    public static let builtIn = [everything, apple, chromium, firefox, chromecast, chromecastSurround]

    /// Returns the built-in profile called `name`.
    ///
    /// - Throws: `invalidArgument`, listing the known names.
    public static func named(_ name: String) throws(EngineError) -> PlayerProfile {
        if let profile = builtIn.first(where: { $0.name == name }) { return profile }
        let names = builtIn.map(\.name).joined(separator: ", ")
        throw EngineError(
            .invalidArgument,
            "profile \"\(name)\" is unknown; known profiles: \(names)",
            field: "profile"
        )
    }

    /// Rejects unknown values, so that a misspelt format is reported instead of being treated as unsupported by the
    /// player.
    ///
    /// - Throws: `invalidArgument`, naming the field and the known values.
    package func requireKnown() throws(EngineError) {
        guard !formats.isEmpty else { throw .invalid("custom_profile.formats", "is empty") }
        try Self.require(formats, in: Self.knownFormats, "formats")
        try Self.require(dolbyVision, in: Self.knownDolbyVision, "dolby_vision")
        try Self.require(Set(bitDepths.keys), in: Self.knownFormats, "bit_depths")
        guard bitDepths.values.allSatisfy({ (8...32).contains($0) }) else {
            throw .invalid("custom_profile.bit_depths", "must be from 8 to 32 bits")
        }
        guard (1...64).contains(maximumChannels) else {
            throw .invalid("custom_profile.max_channels", "must be from 1 to 64")
        }
        let bridges = Set(Self.knownBridges.map(\.rawValue))
        try Self.require(Set(stereoBridges.map(\.rawValue)), in: bridges, "stereo_bridges")
        try Self.require(Set(surroundBridges.map(\.rawValue)), in: bridges, "surround_bridges")
        let videoBridges = Set(self.videoBridges.map(\.rawValue))
        try Self.require(videoBridges, in: Set(Self.knownVideoBridges.map(\.rawValue)), "video_bridges")
    }

    private static func require(
        _ words: Set<String>,
        in known: Set<String>,
        _ field: String
    ) throws(EngineError) {
        guard let unknown = words.subtracting(known).sorted().first else { return }
        let names = known.sorted().joined(separator: ", ")
        throw .invalid("custom_profile.\(field)", "has the unknown value \"\(unknown)\"; known values: \(names)")
    }
}

extension CodecID {
    /// The codec that video is to be encoded to.
    ///
    /// - Throws: `invalidArgument`, listing the known names.
    package static func videoBridge(named name: String) throws(EngineError) -> CodecID {
        let known = PlayerProfile.knownVideoBridges
        if let codec = known.first(where: { $0.rawValue == name }) { return codec }
        let names = known.map(\.rawValue).joined(separator: ", ")
        throw .invalid("video_bridge_codec", "has the unknown value \"\(name)\"; known values: \(names)")
    }
}
