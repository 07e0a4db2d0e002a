// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What a stream is encoded to, and within which bounds.
package struct AudioTarget: Hashable, Sendable {
    package var codec: CodecID
    /// Whether the source holds more than 16 bits may tell: what a lossy codec decodes to does not.
    package var isLosslessSource: Bool

    package init(codec: CodecID, isLosslessSource: Bool) {
        self.codec = codec
        self.isLosslessSource = isLosslessSource
    }

    /// The name of the format in a player's profile, which is also its RFC 6381 string.
    package var format: String {
        switch codec {
        case .eac3: "ec-3"
        case .ac3: "ac-3"
        case .flac: "fLaC"
        default: "mp4a.40.2"
        }
    }

    /// The four-character code of the sample entry.
    package var sampleEntry: String { codec == .aac ? "mp4a" : format }

    package var isLossless: Bool { codec == .flac }

    /// Channels the format has room for.
    package var maximumChannels: Int { codec == .flac ? 8 : 6 }

    /// The layouts it is given, as masks of `AV_CH_*`.
    package var layouts: [UInt64] {
        switch codec {
        case .eac3, .ac3: ChannelPlan.dolbyDigital
        case .flac: ChannelPlan.flac
        default: ChannelPlan.aac
        }
    }

    /// Bits a second; 0 for a lossless codec.
    package func bitRate(channels: Int) -> Int {
        switch codec {
        case .eac3: 128_000 * channels
        case .ac3: min(640_000, 128_000 * channels)
        case .flac: 0
        default: channels == 1 ? 96_000 : 80_000 * channels
        }
    }

    /// Frames that are encoded ahead of a segment and thrown away, so that the encoder has found its feet at the first
    /// one that is kept.
    package var leadingFrames: Int { isLossless ? 0 : codec == .aac ? 4 : 2 }

    /// Rates the format has; empty when it has them all.
    package var rates: [Int] {
        switch codec {
        case .eac3, .ac3: [48_000, 44_100, 32_000]
        case .aac: [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000]
        default: []
        }
    }

    /// The rate that sound of `rate` is encoded at.
    package func rate(for rate: Int) -> Int {
        if rates.isEmpty { return min(rate, 192_000) }
        return rates.contains(rate) ? rate : 48_000
    }

    var summary: String {
        let name =
            switch codec {
            case .eac3: "E-AC-3"
            case .ac3: "AC-3"
            case .flac: "FLAC"
            default: "AAC"
            }
        return "decoded and encoded to \(name)"
    }
}
