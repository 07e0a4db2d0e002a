// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The format that a stream is encoded to, and its limits.
package struct AudioTarget: Hashable, Sendable {
    package var codec: CodecID
    /// Whether the source may have more than 16 significant bits. Decoded lossy codecs do not.
    package var isLosslessSource: Bool

    package init(codec: CodecID, isLosslessSource: Bool) {
        self.codec = codec
        self.isLosslessSource = isLosslessSource
    }

    /// The format's name in a player's profile, which is also its RFC 6381 string.
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

    /// The most channels that the format supports.
    package var maximumChannels: Int { codec == .flac ? 8 : 6 }

    /// The channel layouts used for the format, as masks of `AV_CH_*`.
    package var layouts: [UInt64] {
        switch codec {
        case .eac3, .ac3: ChannelPlan.dolbyDigital
        case .flac: ChannelPlan.flac
        default: ChannelPlan.aac
        }
    }

    /// Bits per second; 0 for a lossless codec.
    package func bitRate(channels: Int) -> Int {
        switch codec {
        case .eac3: 128_000 * channels
        case .ac3: min(640_000, 128_000 * channels)
        case .flac: 0
        default: channels == 1 ? 96_000 : 80_000 * channels
        }
    }

    /// The number of frames encoded before a segment and discarded, so that the encoder has settled by the first frame
    /// that is kept.
    package var leadingFrames: Int { isLossless ? 0 : codec == .aac ? 4 : 2 }

    /// The sample rates that the format supports; empty if it supports all.
    package var rates: [Int] {
        switch codec {
        case .eac3, .ac3: [48_000, 44_100, 32_000]
        case .aac: [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000]
        default: []
        }
    }

    /// The sample rate used to encode audio of rate `rate`.
    package func rate(for rate: Int) -> Int {
        if rates.isEmpty { return min(rate, 192_000) }
        return rates.contains(rate) ? rate : 48_000
    }

    package var summary: String {
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
