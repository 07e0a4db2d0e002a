// SPDX-License-Identifier: Apache-2.0

/// The dynamic range of a video and how it is described. Precedence: Dolby Vision, HDR10+, HDR10, HLG, SDR.
package enum VideoFormat: Hashable, Sendable {
    case sdr
    case hlg
    case hdr10
    /// HDR10 with dynamic metadata of SMPTE ST 2094-40 in its bitstream.
    case hdr10Plus
    /// `compatibility` is `dv_bl_signal_compatibility_id`; it is part of the name of profiles 8 and 10 only.
    case dolbyVision(profile: Int, compatibility: Int)

    /// The name on the wire: `SDR`, `HLG`, `HDR10`, `HDR10+`, `Dolby Vision 8.1`.
    package var name: String {
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
    package init?(name: String) {
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

/// The Dolby Vision configuration record (Dolby Vision Streams within the ISO Base Media File Format, §3.2), the twin of
/// `AVDOVIDecoderConfigurationRecord`.
package struct DolbyVisionConfiguration: Hashable, Sendable {
    package var versionMajor: Int
    package var versionMinor: Int
    package var profile: Int
    package var level: Int
    package var hasRPU: Bool
    package var hasEnhancementLayer: Bool
    package var hasBaseLayer: Bool
    /// `dv_bl_signal_compatibility_id`: what the base layer is by itself. 0 nothing, 1 HDR10, 2 SDR, 4 HLG, 6 Blu-ray.
    package var compatibility: Int

    package init(
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

    package var format: VideoFormat { .dolbyVision(profile: profile, compatibility: compatibility) }

    /// As `PlayerProfile.dolbyVision` names it: `5`, `8.1`, `10.0`.
    package var name: String { profile == 8 || profile == 10 ? "\(profile).\(compatibility)" : "\(profile)" }
}

/// The display a picture was graded on (SMPTE ST 2086), in the units of `mdcv` (ISO/IEC 14496-12 §12.1.6).
package struct MasteringDisplay: Hashable, Sendable {
    /// CIE 1931, in steps of 0.00002.
    package struct Chromaticity: Hashable, Sendable {
        package var x: UInt16
        package var y: UInt16

        package init(x: UInt16, y: UInt16) {
            self.x = x
            self.y = y
        }
    }

    package var red: Chromaticity
    package var green: Chromaticity
    package var blue: Chromaticity
    package var white: Chromaticity
    /// In steps of 0.0001 cd/m².
    package var maximumLuminance: UInt32
    package var minimumLuminance: UInt32

    package init(
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
package struct ContentLight: Hashable, Sendable {
    /// MaxCLL.
    package var maximum: UInt16
    /// MaxFALL.
    package var frameAverage: UInt16

    package init(maximum: UInt16, frameAverage: UInt16) {
        self.maximum = maximum
        self.frameAverage = frameAverage
    }
}
