// SPDX-License-Identifier: Apache-2.0

/// What a front-end can play. It decides the route of every track.
public struct PlayerProfile: Hashable, Sendable {
    /// One of the built-in names, or `custom`.
    public var name: String
    /// Formats the player takes in HLS-fMP4: sample entries for video (`avc1 avc3 hvc1 hev1 dvh1 av01 dav1 vp09`), RFC 6381
    /// strings for sound (`mp4a.40.2 mp4a.40.5 mp4a.40.29 mp4a.6B ac-3 ec-3 fLaC alac Opus`).
    public var formats: Set<String>
    /// Dolby Vision profiles it shows, as they are named: `5`, `8.1`, `8.4`, `10.0`.
    public var dolbyVision: Set<String>
    /// Bits a sample that its decoder of a sample entry takes; what is not named takes 10.
    public var bitDepths: [String: Int]
    /// Whether it takes more chroma than 4:2:0.
    public var takesFullChroma: Bool
    /// Whether it deinterlaces.
    public var takesInterlaced: Bool
    public var maximumChannels: Int
    /// What sound is bridged to, the best first, by where it is heard.
    public var stereoBridges: [CodecID]
    public var surroundBridges: [CodecID]

    public init(
        name: String,
        formats: Set<String>,
        dolbyVision: Set<String> = [],
        bitDepths: [String: Int] = [:],
        takesFullChroma: Bool = false,
        takesInterlaced: Bool = true,
        maximumChannels: Int = 8,
        stereoBridges: [CodecID] = [.flac, .aac],
        surroundBridges: [CodecID] = [.eac3, .aac, .flac]
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
    }
}

/// What a bridge aims at.
public enum BridgeMode: String, Hashable, Sendable, CaseIterable {
    /// E-AC-3 at 128 kbit/s a channel up to 5.1; stereo by the player's profile.
    case surround
    /// FLAC up to 7.1: what is decoded, bit by bit.
    case lossless
}
