// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The planes of an SDR frame, each with 8 bits. Those of stills have full range.
enum StillPlanes: Hashable {
    /// R'G'B'.
    case rgb
    /// 4:4:4 Y'CbCr of BT.601, as in JFIF.
    case jpeg
    /// The same with 4:2:0 chroma, sited at the centre of each 2 by 2 block.
    case smallJPEG
    /// 4:2:0 Y'CbCr of BT.709 in limited range, for video.
    case video

    /// From this quality on, JPEG uses 4:4:4 unless the source has 4:2:0 chroma and is not scaled down.
    private static let fullChromaQuality = 90

    /// The planes of a JPEG.
    ///
    /// - Parameters:
    ///   - width: the width of the JPEG.
    ///   - height: the height of the JPEG.
    ///   - isHalved: whether the source has 4:2:0 chroma and is not scaled down.
    init(quality: Int, width: Int, height: Int, isHalved: Bool) {
        // zimg cannot subsample chroma for an odd width or height.
        let isOdd = !width.isMultiple(of: 2) || !height.isMultiple(of: 2)
        self = isOdd || quality >= Self.fullChromaQuality && !isHalved ? .jpeg : .smallJPEG
    }

    /// The `zscale` options that produce these planes, from any matrix and range.
    var conversion: String {
        switch self {
        case .rgb: "m=gbr:r=full"
        case .jpeg, .smallJPEG: "m=smpte170m:r=full:c=center"
        case .video: "m=bt709:r=limited"
        }
    }

    /// libavutil's name for the pixel format.
    var format: String {
        switch self {
        case .rgb: "gbrp"
        case .jpeg: "yuv444p"
        case .smallJPEG, .video: "yuv420p"
        }
    }
}
