// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The parameters for encoding a video to H.264, for a player that does not decode it or for a link that does not carry
/// it: size, quality, limits. Pure: the same source gives the same target on every machine.
package struct VideoTarget: Hashable, Sendable {
    /// In pixels; even.
    package let width: Int
    package let height: Int
    /// Frames per second, for rate control and the level.
    package let frameRate: Ratio
    /// x264's constant rate factor.
    package let quality: Int
    /// x264's preset.
    package let preset: String
    /// In bits per second. The encoder assumes a decoder whose buffer is filled at this rate and holds one second of
    /// it.
    package let maximumBitRate: Int
    /// level_idc of ITU-T H.264, Annex A.
    package let level: Int

    package var bufferSize: Int { maximumBitRate }

    /// Larger frames are scaled down, because two cores do not encode them in real time.
    private static let largest = (long: 1920, short: 1088)
    /// The rate assumed for a source that states no credible rate.
    private static let usualRate = Ratio(30, 1)
    private static let rates = 1.0...120.0
    /// Macroblocks per second up to which the slower preset is used: those of 1920x1088 at 30 frames per second.
    private static let easyRate = 244_800.0

    /// - Parameters:
    ///   - width: of the source after cropping, in pixels.
    ///   - height: of the source after cropping, in pixels.
    ///   - frameRate: of the source; `nil` if it states none.
    ///   - rung: the rung of a ladder that is encoded; `nil` for the video that the session plays.
    package init(width: Int, height: Int, frameRate: Ratio?, rung: VideoLadder.Rung? = nil) {
        let (long, short) = (max(width, height, 2), max(min(width, height), 2))
        let largest = rung?.box ?? Self.largest
        let scale = min(1, Double(largest.long) / Double(long), Double(largest.short) / Double(short))
        self.width = Self.even(width, scale)
        self.height = Self.even(height, scale)
        let stated = frameRate.flatMap { $0.denominator > 0 && Self.rates.contains($0.value) ? $0 : nil }
        self.frameRate = stated ?? Self.usualRate
        quality = rung == nil ? 20 : 23
        // A source with a varying frame rate may have more frames per second than it states.
        let rate = max(self.frameRate.value, Self.usualRate.value)
        let blocks = Double((self.width + 15) / 16 * ((self.height + 15) / 16))
        preset = blocks * rate <= Self.easyRate ? "veryfast" : "superfast"
        let area = Double(self.width * self.height)
        let bits = rung?.bitRate(area: area, rate: rate, scale: scale) ?? Self.bitRate(area: area, rate: rate)
        let found = Level.all.first { $0.fits(blocks: blocks, rate: rate, bits: bits) } ?? Level.highest
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

    package var summary: String { "decoded and encoded to H.264" }

    /// The limits of a level for High profile (ITU-T H.264, table A-1; bit rates 1.25 times those of Main profile).
    private struct Level {
        let number: Int
        /// Macroblocks per second and per frame.
        let blockRate: Double
        let blocks: Double
        let bits: Int

        static let all = [
            Level(number: 30, blockRate: 40_500, blocks: 1620, bits: 12_500_000),
            Level(number: 31, blockRate: 108_000, blocks: 3600, bits: 17_500_000),
            Level(number: 32, blockRate: 216_000, blocks: 5120, bits: 25_000_000),
            Level(number: 40, blockRate: 245_760, blocks: 8192, bits: 25_000_000),
            Level(number: 42, blockRate: 522_240, blocks: 8704, bits: 62_500_000),
            Level(number: 51, blockRate: 983_040, blocks: 36_864, bits: 300_000_000),
        ]
        static let highest = Level(number: 52, blockRate: 2_073_600, blocks: 36_864, bits: 300_000_000)

        func fits(blocks: Double, rate: Double, bits: Int) -> Bool {
            blocks <= self.blocks && blocks * rate <= blockRate && bits <= self.bits
        }
    }
}
