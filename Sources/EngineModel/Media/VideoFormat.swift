// SPDX-License-Identifier: Apache-2.0

/// The dynamic range of a video and its HDR metadata. Precedence: Dolby Vision, HDR10+, HDR10, HLG, SDR.
public enum VideoFormat: Hashable, Sendable {
    case sdr
    case hlg
    case hdr10
    /// HDR10 with SMPTE ST 2094-40 dynamic metadata in the bitstream.
    case hdr10Plus
    /// `compatibility` is `dv_bl_signal_compatibility_id`; it is part of the name of profiles 8 and 10 only.
    case dolbyVision(profile: Int, compatibility: Int)

    /// The name on the wire: `SDR`, `HLG`, `HDR10`, `HDR10+`, `Dolby Vision 8.1`.
    public var name: String {
        switch self {
        case .sdr: "SDR"
        case .hlg: "HLG"
        case .hdr10: "HDR10"
        case .hdr10Plus: "HDR10+"
        case .dolbyVision(let profile, let compatibility):
            "Dolby Vision \(profile)" + (profile == 8 || profile == 10 ? ".\(compatibility)" : "")
        }
    }

    /// The inverse of `name`; `nil` for any other text.
    public init?(name: String) {
        switch name {
        case "SDR": self = .sdr
        case "HLG": self = .hlg
        case "HDR10": self = .hdr10
        case "HDR10+": self = .hdr10Plus
        default:
            let prefix = "Dolby Vision "
            guard name.hasPrefix(prefix) else { return nil }
            let numbers = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false).map {
                Int($0)
            }
            guard let first = numbers.first, let profile = first, numbers.count <= 2 else { return nil }
            guard let compatibility = numbers.count == 2 ? numbers[1] : 0 else { return nil }
            self = .dolbyVision(profile: profile, compatibility: compatibility)
        }
    }
}

/// The Dolby Vision configuration record (Dolby Vision Streams within the ISO Base Media File Format, §3.2), the
/// counterpart of `AVDOVIDecoderConfigurationRecord`.
public struct DolbyVisionConfiguration: Hashable, Sendable {
    public var versionMajor: Int
    public var versionMinor: Int
    public var profile: Int
    public var level: Int
    public var hasRPU: Bool
    public var hasEnhancementLayer: Bool
    public var hasBaseLayer: Bool
    /// `dv_bl_signal_compatibility_id`: the format of the base layer by itself. 0 none, 1 HDR10, 2 SDR, 4 HLG, 6
    /// Blu-ray.
    public var compatibility: Int

    public init(
        versionMajor: Int = 1,
        versionMinor: Int = 0,
        profile: Int,
        level: Int,
        hasRPU: Bool = true,
        hasEnhancementLayer: Bool = false,
        hasBaseLayer: Bool = true,
        compatibility: Int
    ) {
        self.versionMajor = versionMajor
        self.versionMinor = versionMinor
        self.profile = profile
        self.level = level
        self.hasRPU = hasRPU
        self.hasEnhancementLayer = hasEnhancementLayer
        self.hasBaseLayer = hasBaseLayer
        self.compatibility = compatibility
    }

    public var format: VideoFormat { .dolbyVision(profile: profile, compatibility: compatibility) }

    /// In the syntax of `PlayerProfile.dolbyVision`: `5`, `8.1`, `10.0`.
    public var name: String { profile == 8 || profile == 10 ? "\(profile).\(compatibility)" : "\(profile)" }
}

/// The display the video was graded on (SMPTE ST 2086), in the units of the box `mdcv` (ISO/IEC 14496-12).
public struct MasteringDisplay: Hashable, Sendable {
    /// CIE 1931, in steps of 0.00002.
    public struct Chromaticity: Hashable, Sendable {
        public var x: UInt16
        public var y: UInt16

        public init(x: UInt16, y: UInt16) {
            self.x = x
            self.y = y
        }
    }

    public var red: Chromaticity
    public var green: Chromaticity
    public var blue: Chromaticity
    public var white: Chromaticity
    /// In steps of 0.0001 cd/m².
    public var maximumLuminance: UInt32
    public var minimumLuminance: UInt32

    public init(
        red: Chromaticity,
        green: Chromaticity,
        blue: Chromaticity,
        white: Chromaticity,
        maximumLuminance: UInt32,
        minimumLuminance: UInt32
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }
}

/// Content light level (CTA-861.3), in cd/m².
public struct ContentLight: Hashable, Sendable {
    /// MaxCLL.
    public var maximum: UInt16
    /// MaxFALL.
    public var frameAverage: UInt16

    public init(maximum: UInt16, frameAverage: UInt16) {
        self.maximum = maximum
        self.frameAverage = frameAverage
    }
}
