// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The parameters for encoding a video, for a player that does not decode it or for a link that does not carry it:
/// codec, size, quality, limits. Pure: the same source gives the same target on every machine.
package struct VideoTarget: Hashable, Sendable {
    package let codec: EncodedCodec
    /// In pixels; even.
    package let width: Int
    package let height: Int
    /// Frames per second, for rate control and the level.
    package let frameRate: Ratio
    /// The encoder's constant quality: x264's constant rate factor, and its counterparts of libvpx and SVT-AV1.
    package let quality: Int
    /// The encoder's name of a set of trade-offs between speed and size.
    package let preset: String
    /// Whether no preset is faster.
    package let isFastest: Bool
    /// Whether a weak machine may be too slow for this size and rate.
    package let isDemanding: Bool
    /// In bits per second. The decoder's buffer is filled at this rate and holds one second of it.
    package let maximumBitRate: Int
    /// level_idc of ITU-T H.264, Annex A; ten times the level of VP9 and AV1.
    package let level: Int

    package var bufferSize: Int { maximumBitRate }

    /// Larger frames are scaled down, because two cores do not encode them in real time.
    private static let largest = (long: 1920, short: 1088)
    /// The rate assumed for a source that states no credible rate.
    private static let usualRate = Ratio(30, 1)
    private static let rates = 1.0...120.0
    /// Blocks of 16x16 pixels per second up to which the slower preset is used: those of 1920x1088 at 30 frames per
    /// second.
    private static let easyRate = 244_800.0
    /// Blocks per second above which a video is demanding: those of 1280x720 at 30 frames per second.
    private static let undemandingRate = 108_000.0

    /// Trade-offs of an encoder.
    private struct Effort {
        /// For the video that the session plays.
        let quality: Int
        /// For the rungs of a ladder.
        let rungQuality: Int
        /// Up to `easyRate`, and above.
        let presets: (easy: String, hard: String)

        /// Qualities that look alike; presets with which two cores hold real time at 1920x1080.
        static func of(_ codec: EncodedCodec) -> Effort {
            switch codec {
            case .h264: Effort(quality: 20, rungQuality: 23, presets: ("veryfast", "superfast"))
            case .vp9: Effort(quality: 26, rungQuality: 31, presets: ("7", "8"))
            case .av1: Effort(quality: 26, rungQuality: 31, presets: ("12", "13"))
            }
        }
    }

    /// - Parameters:
    ///   - width: of the source after cropping, in pixels.
    ///   - height: of the source after cropping, in pixels.
    ///   - frameRate: of the source; `nil` if it states none.
    ///   - limit: of the video that the session plays.
    ///   - rung: the rung of a ladder that is encoded; `nil` for the video that the session plays.
    package init(
        _ codec: EncodedCodec = .h264,
        width: Int,
        height: Int,
        frameRate: Ratio?,
        limit: BridgeSize = .unlimited,
        rung: VideoLadder.Rung? = nil
    ) {
        self.codec = codec
        let effort = Effort.of(codec)
        let (long, short) = (max(width, height, 2), max(min(width, height), 2))
        let largest = rung?.box ?? limit.box ?? Self.largest
        let scale = min(1, Double(largest.long) / Double(long), Double(largest.short) / Double(short))
        self.width = Self.even(width, scale)
        self.height = Self.even(height, scale)
        let stated = frameRate.flatMap { $0.denominator > 0 && Self.rates.contains($0.value) ? $0 : nil }
        self.frameRate = stated ?? Self.usualRate
        quality = rung == nil ? effort.quality : effort.rungQuality
        // A source with a varying frame rate may have more frames per second than it states.
        let rate = max(self.frameRate.value, Self.usualRate.value)
        let blocks = Double((self.width + 15) / 16 * ((self.height + 15) / 16))
        let isEasy = blocks * rate <= Self.easyRate && (rung != nil || limit == .unlimited)
        preset = isEasy ? effort.presets.easy : effort.presets.hard
        isFastest = !isEasy
        isDemanding = blocks * rate > Self.undemandingRate
        let area = Double(self.width * self.height)
        let bits = rung?.bitRate(area: area, rate: rate, scale: scale) ?? Self.bitRate(area: area, rate: rate)
        let found = VideoLevel.lowest(codec, width: self.width, height: self.height, rate: rate, bits: bits)
        level = found.number
        maximumBitRate = min(bits, found.bits)
    }

    /// - Parameters:
    ///   - area: in pixels.
    ///   - rate: frames per second.
    private static func bitRate(area: Double, rate: Double) -> Int {
        Int(((2_000_000 + 0.25 * area * rate) / 100_000).rounded()) * 100_000
    }

    private static func even(_ length: Int, _ scale: Double) -> Int {
        scale == 1 ? max(2, length & ~1) : max(2, Int((Double(length) * scale / 2).rounded()) * 2)
    }

    package var summary: String { "decoded and encoded to \(codec.name)" }
}
