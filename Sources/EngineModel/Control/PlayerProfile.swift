// SPDX-License-Identifier: Apache-2.0

/// The formats that a front-end can play. The profile decides the route of every track.
public struct PlayerProfile: Hashable, Sendable {
    /// One of the built-in names, or `custom`.
    public var name: String
    /// Formats that the player supports in HLS-fMP4: sample entries for video (`avc1 avc3 hvc1 hev1 dvh1 av01 dav1
    /// vp09`), RFC 6381 strings for audio (`mp4a.40.2 mp4a.40.5 mp4a.40.29 mp4a.6B ac-3 ec-3 fLaC alac Opus`).
    public var formats: Set<String>
    /// Supported Dolby Vision profiles, by name, such as `5`, `8.1` or `10.0`.
    public var dolbyVision: Set<String>
    /// Maximum bits per sample that the decoder supports, by sample entry. Default: 10 for video, 24 for FLAC.
    public var bitDepths: [String: Int]
    /// Whether the player supports 4:2:2 and 4:4:4 chroma.
    public var takesFullChroma: Bool
    /// Whether the player deinterlaces.
    public var takesInterlaced: Bool
    public var maximumChannels: Int
    /// Codecs that audio may be bridged to, in order of preference, for stereo and for surround output.
    public var stereoBridges: [CodecID]
    public var surroundBridges: [CodecID]
    /// Codecs that video may be bridged to, in order of preference. Those that the player does not support are skipped.
    public var videoBridges: [CodecID]
    /// Families of audio formats that the player accepts in one presentation: all audio tracks of a source are served
    /// in formats of one family. The first family is chosen among those that suit the tracks equally well. Empty for a
    /// player that accepts any of its formats in one presentation.
    public var audioFamilies: [Set<String>]

    public init(
        name: String,
        formats: Set<String>,
        dolbyVision: Set<String> = [],
        bitDepths: [String: Int] = [:],
        takesFullChroma: Bool = false,
        takesInterlaced: Bool = true,
        maximumChannels: Int = 8,
        stereoBridges: [CodecID] = [.flac, .aac],
        surroundBridges: [CodecID] = [.eac3, .aac, .flac],
        videoBridges: [CodecID] = Self.knownVideoBridges,
        audioFamilies: [Set<String>] = Self.codecFamilies
    ) {
        self.name = name
        self.formats = formats
        self.dolbyVision = dolbyVision
        self.bitDepths = bitDepths
        self.takesFullChroma = takesFullChroma
        self.takesInterlaced = takesInterlaced
        self.maximumChannels = maximumChannels
        self.stereoBridges = stereoBridges
        self.surroundBridges = surroundBridges
        self.videoBridges = videoBridges
        self.audioFamilies = audioFamilies
    }

    /// As messages name it, for example `profile "chromium"`.
    package var label: String { "profile \"\(name)\"" }
}

/// The goal of audio bridging.
public enum BridgeMode: String, Hashable, Sendable, CaseIterable {
    /// The codecs of the profile: `surroundBridges` for more than two channels, otherwise `stereoBridges`.
    case surround
    /// FLAC, up to 7.1, if the player supports it; otherwise as `surround`.
    case lossless
}

/// Which video is decoded and encoded again.
public enum VideoBridge: String, Hashable, Sendable, CaseIterable {
    case never
    /// Video that the player does not decode.
    case whenNeeded = "when-needed"
    case always
}
