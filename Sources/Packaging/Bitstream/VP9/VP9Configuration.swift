// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// WebM's CodecPrivate for VP9: what frames do not state.
package enum VP9PrivateData {
    fileprivate static let levelID: UInt8 = 2
    fileprivate static let chromaID: UInt8 = 4

    /// - Parameter level: ten times the level number.
    /// - Returns: the data for a video in 4:2:0 whose chroma lies between the rows of luma, as in H.264.
    package static func bytes(level: Int) -> [UInt8] { [levelID, 1, UInt8(clamping: level), chromaID, 1, 0] }
}

/// VPCodecConfigurationRecord, "VP Codec ISO Media File Format Binding" §2.2.
struct VP9Configuration: Hashable, Sendable {
    var profile: Int
    /// Ten times the level number.
    var level: Int
    var bitDepth: Int
    /// 0 and 1: 4:2:0 with chroma between or on luma rows; 2: 4:2:2; 3: 4:4:4.
    var chromaSubsampling: Int
    var color: ColorDescription

    init(_ header: VP9FrameHeader, _ video: VideoProperties, extradata: [UInt8]) {
        let declared = Self.features(extradata)
        profile = header.profile
        bitDepth = header.bitDepth
        color = video.color
        level = declared.level ?? Self.level(video)
        chromaSubsampling =
            switch (header.subsamplingX, header.subsamplingY) {
            case (true, true): declared.chroma == 0 ? 0 : 1
            case (true, false): 2
            default: 3
            }
    }

    var record: [UInt8] {
        var writer = BoxWriter()
        writer.byte(UInt8(truncatingIfNeeded: profile))
        writer.byte(UInt8(truncatingIfNeeded: level))
        writer.byte(UInt8(truncatingIfNeeded: bitDepth << 4 | chromaSubsampling << 1 | (color.isFullRange ? 1 : 0)))
        writer.byte(UInt8(truncatingIfNeeded: color.primaries))
        writer.byte(UInt8(truncatingIfNeeded: color.transfer))
        writer.byte(UInt8(truncatingIfNeeded: color.matrix))
        writer.uint16(0)
        return writer.bytes
    }

    /// Parses WebM's CodecPrivate: one-byte features after an id and a length.
    private static func features(_ extradata: [UInt8]) -> (level: Int?, chroma: Int?) {
        var level: Int?
        var chroma: Int?
        var index = 0
        while index + 2 < extradata.count, extradata[index + 1] == 1 {
            let value = Int(extradata[index + 2])
            if extradata[index] == VP9PrivateData.levelID, levels.contains(where: { $0.level == value }) {
                level = value
            }
            if extradata[index] == VP9PrivateData.chromaID { chroma = value }
            index += 3
        }
        return (level, chroma)
    }

    /// The lowest level whose picture size and sample rate fit the video. An unknown frame rate counts as 30 fps.
    private static func level(_ video: VideoProperties) -> Int {
        let samples = max(0, min(video.width, 65536)) * max(0, min(video.height, 65536))
        let rate = Double(samples) * (video.frameRate?.value ?? 30)
        return levels.first { samples <= $0.samples && rate <= $0.samplesPerSecond }?.level ?? 62
    }

    private static let levels: [(level: Int, samplesPerSecond: Double, samples: Int)] = [
        (10, 829_440, 36_864), (11, 2_764_800, 73_728), (20, 4_608_000, 122_880), (21, 9_216_000, 245_760),
        (30, 20_736_000, 552_960), (31, 36_864_000, 983_040), (40, 83_558_400, 2_228_224),
        (41, 160_432_128, 2_228_224), (50, 311_951_360, 8_912_896), (51, 588_251_136, 8_912_896),
        (52, 1_176_502_272, 8_912_896), (60, 1_176_502_272, 35_651_584), (61, 2_353_004_544, 35_651_584),
        (62, 4_706_009_088, 35_651_584),
    ]
}
