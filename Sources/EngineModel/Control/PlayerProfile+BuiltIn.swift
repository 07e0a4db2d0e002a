// SPDX-License-Identifier: Apache-2.0

// docs/profiles.md gives the source of each entry.
extension PlayerProfile {
    /// A player that supports everything fMP4 can carry, such as mpv or GStreamer.
    public static let everything = PlayerProfile(
        name: "everything",
        formats: knownFormats,
        dolbyVision: knownDolbyVision,
        bitDepths: ["avc1": 10, "avc3": 10, "hvc1": 12, "hev1": 12, "av01": 12, "vp09": 12, "fLaC": 32],
        takesFullChroma: true,
        audioFamilies: []
    )

    /// AVPlayer and Safari on current Apple devices ("HLS Authoring Specification for Apple Devices").
    public static let apple = PlayerProfile(
        name: "apple",
        formats: [
            "avc1", "hvc1", "dvh1", "av01", "dav1", "mp4a.40.2", "mp4a.40.5", "mp4a.40.29", "mp4a.6B", "ac-3", "ec-3",
            "fLaC", "alac",
        ],
        dolbyVision: ["5", "8.1", "8.4", "10.0", "10.1", "10.4"],
        bitDepths: ["avc1": 8, "hvc1": 10, "av01": 10],
        takesInterlaced: false,
        maximumChannels: 8,
        stereoBridges: [.aac, .flac],
        surroundBridges: [.eac3, .ac3, .aac]
    )

    /// Chromium's own HLS player as Linux distributions build it.
    public static let chromium = PlayerProfile(
        name: "chromium",
        formats: ["avc1", "avc3", "vp09", "av01", "mp4a.40.2", "mp4a.40.5", "mp4a.40.29", "fLaC", "Opus"],
        bitDepths: ["avc1": 10, "avc3": 10, "vp09": 12, "av01": 10],
        takesFullChroma: true,
        takesInterlaced: false,
        maximumChannels: 8,
        stereoBridges: [.flac, .aac],
        surroundBridges: [.aac, .flac]
    )

    /// Firefox, with a player on Media Source Extensions such as hls.js.
    public static let firefox = PlayerProfile(
        name: "firefox",
        formats: ["avc1", "avc3", "vp09", "av01", "mp4a.40.2", "mp4a.40.5", "mp4a.40.29", "fLaC", "Opus"],
        bitDepths: ["avc1": 8, "avc3": 8, "vp09": 10, "av01": 10],
        takesInterlaced: false,
        maximumChannels: 8,
        stereoBridges: [.flac, .aac],
        surroundBridges: [.aac, .flac]
    )

    /// Google Cast devices that show 4K HDR, with a receiver that plays HLS-fMP4 ("Supported Media for Google Cast").
    /// Dolby Digital is left out, because it is played only if the device to which the Cast device is connected decodes
    /// it.
    public static let chromecast = PlayerProfile(
        name: "chromecast",
        formats: [
            "avc1", "hvc1", "dvh1", "vp09", "mp4a.40.2", "mp4a.40.5", "mp4a.40.29", "mp4a.6B", "fLaC", "Opus",
        ],
        dolbyVision: ["5", "8.1"],
        bitDepths: ["avc1": 8, "hvc1": 10, "vp09": 10],
        takesInterlaced: false,
        maximumChannels: 6,
        stereoBridges: [.aac, .flac],
        surroundBridges: [.aac, .flac]
    )

    /// The same devices, connected to a device that decodes Dolby Digital.
    public static let chromecastSurround: PlayerProfile = {
        var profile = chromecast
        profile.name = "chromecast-surround"
        profile.formats.formUnion(["ac-3", "ec-3"])
        profile.surroundBridges = [.eac3, .ac3, .aac]
        return profile
    }()
}
