// SPDX-License-Identifier: Apache-2.0

/// A level of a codec: what a decoder of that level can decode.
struct VideoLevel: Hashable, Sendable {
    /// level_idc of ITU-T H.264; ten times the level of VP9 and AV1.
    let number: Int
    /// Per second and per picture: macroblocks for H.264, luma samples for VP9 and AV1.
    let rate: Double
    let area: Double
    /// The longest side of a picture in pixels. `.max` if only the area is limited.
    let side: Int
    /// Bits per second.
    let bits: Int

    /// The lowest level that suffices for a video, or the highest one of the table.
    ///
    /// - Parameters:
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - rate: frames per second.
    ///   - bits: the maximum bit rate, in bits per second.
    static func lowest(_ codec: EncodedCodec, width: Int, height: Int, rate: Double, bits: Int) -> VideoLevel {
        let (table, area) =
            switch codec {
            case .h264: (h264, Double((width + 15) / 16 * ((height + 15) / 16)))
            case .vp9: (vp9, Double(width * height))
            case .av1: (av1, Double(width * height))
            }
        return table.first { level in
            area <= level.area && area * rate <= level.rate && max(width, height) <= level.side && bits <= level.bits
        } ?? table[table.count - 1]
    }

    private init(_ number: Int, rate: Double, area: Double, side: Int = .max, bits: Int) {
        (self.number, self.rate, self.area, self.side, self.bits) = (number, rate, area, side, bits)
    }

    /// High profile (ITU-T H.264, table A-1; bit rates 1.25 times those of Main profile).
    private static let h264 = [
        VideoLevel(30, rate: 40_500, area: 1620, bits: 12_500_000),
        VideoLevel(31, rate: 108_000, area: 3600, bits: 17_500_000),
        VideoLevel(32, rate: 216_000, area: 5120, bits: 25_000_000),
        VideoLevel(40, rate: 245_760, area: 8192, bits: 25_000_000),
        VideoLevel(42, rate: 522_240, area: 8704, bits: 62_500_000),
        VideoLevel(51, rate: 983_040, area: 36_864, bits: 300_000_000),
        VideoLevel(52, rate: 2_073_600, area: 36_864, bits: 300_000_000),
    ]

    /// VP9 bitstream specification, annex A.
    private static let vp9 = [
        VideoLevel(10, rate: 829_440, area: 36_864, side: 512, bits: 200_000),
        VideoLevel(11, rate: 2_764_800, area: 73_728, side: 768, bits: 800_000),
        VideoLevel(20, rate: 4_608_000, area: 122_880, side: 960, bits: 1_800_000),
        VideoLevel(21, rate: 9_216_000, area: 245_760, side: 1344, bits: 3_600_000),
        VideoLevel(30, rate: 20_736_000, area: 552_960, side: 2048, bits: 7_200_000),
        VideoLevel(31, rate: 36_864_000, area: 983_040, side: 2752, bits: 12_000_000),
        VideoLevel(40, rate: 83_558_400, area: 2_228_224, side: 4160, bits: 18_000_000),
        VideoLevel(41, rate: 160_432_128, area: 2_228_224, side: 4160, bits: 30_000_000),
        VideoLevel(50, rate: 311_951_360, area: 8_912_896, side: 8384, bits: 60_000_000),
        VideoLevel(51, rate: 588_251_136, area: 8_912_896, side: 8384, bits: 120_000_000),
    ]

    /// Main tier (AV1 bitstream specification, annex A.3).
    private static let av1 = [
        VideoLevel(20, rate: 4_423_680, area: 147_456, side: 2048, bits: 1_500_000),
        VideoLevel(21, rate: 8_363_520, area: 278_784, side: 2816, bits: 3_000_000),
        VideoLevel(30, rate: 19_975_680, area: 665_856, side: 4352, bits: 6_000_000),
        VideoLevel(31, rate: 31_950_720, area: 1_065_024, side: 5504, bits: 10_000_000),
        VideoLevel(40, rate: 70_778_880, area: 2_359_296, side: 6144, bits: 12_000_000),
        VideoLevel(41, rate: 141_557_760, area: 2_359_296, side: 6144, bits: 20_000_000),
        VideoLevel(50, rate: 267_386_880, area: 8_912_896, side: 8192, bits: 30_000_000),
        VideoLevel(51, rate: 534_773_760, area: 8_912_896, side: 8192, bits: 40_000_000),
    ]
}
