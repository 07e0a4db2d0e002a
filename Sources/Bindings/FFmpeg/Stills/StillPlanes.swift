// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What the samples of a still of standard dynamic range stand for. All are of 8 bits and full range.
enum StillPlanes: Hashable {
    /// R'G'B'.
    case rgb
    /// Y'CbCr of BT.601, as JFIF has it, with the colour of each pixel.
    case jpeg
    /// The same with one sample of each colour for two by two pixels, in the middle of them.
    case smallJPEG

    /// From this quality on JPEG keeps every sample of colour that there is.
    private static let fullChromaQuality = 90

    /// Those of a JPEG.
    ///
    /// - Parameters:
    ///   - width: of the JPEG.
    ///   - height: likewise.
    ///   - isHalved: whether what becomes the JPEG has no more than one sample of colour for two by two pixels.
    init(quality: Int, width: Int, height: Int, isHalved: Bool) {
        // zimg makes no half samples at an edge.
        let isOdd = !width.isMultiple(of: 2) || !height.isMultiple(of: 2)
        self = isOdd || quality >= Self.fullChromaQuality && !isHalved ? .jpeg : .smallJPEG
    }

    /// Behind which `zscale` gives them, of any matrix and range.
    var conversion: String {
        switch self {
        case .rgb: "m=gbr:r=full"
        case .jpeg, .smallJPEG: "m=smpte170m:r=full:c=center"
        }
    }

    /// libavutil's name.
    var format: String {
        switch self {
        case .rgb: "gbrp"
        case .jpeg: "yuv444p"
        case .smallJPEG: "yuv420p"
        }
    }
}
