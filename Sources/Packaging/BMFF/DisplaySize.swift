// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The size in square pixels at which a video is displayed.
package struct DisplaySize: Hashable, Sendable {
    /// As displayed, after rotation.
    package let width: Int
    package let height: Int
    /// As written in `tkhd`, before its matrix is applied. At most 65535.
    let unrotatedWidth: Int
    let unrotatedHeight: Int

    package init(_ video: VideoProperties) {
        let ratio = video.displayableAspectRatio
        let limit = 65535
        let shownWidth = min(max(0, video.width - video.cropping.left - video.cropping.right), limit)
        unrotatedHeight = min(max(0, video.height - video.cropping.top - video.cropping.bottom), limit)
        unrotatedWidth = min(limit, (shownWidth * ratio.numerator + ratio.denominator / 2) / ratio.denominator)
        let isTurned = video.rotation == 90 || video.rotation == 270
        width = isTurned ? unrotatedHeight : unrotatedWidth
        height = isTurned ? unrotatedWidth : unrotatedHeight
    }
}

extension VideoProperties {
    /// Whether the sample aspect ratio is implausible, so that pixels are treated as square.
    package var hasImpossibleAspectRatio: Bool {
        let ratio = sampleAspectRatio.reduced
        return ratio != Ratio(1, 1) && ratio != displayableAspectRatio
    }

    /// The sample aspect ratio in lowest terms, or 1:1 if it is implausible: a term does not fit 16 bits, or the video
    /// would be narrower than 1:3 or wider than 3:1 although its pixel dimensions are not.
    var displayableAspectRatio: Ratio {
        let ratio = sampleAspectRatio.reduced
        let square = Ratio(1, 1)
        guard ratio.numerator > 0, ratio.denominator > 0, width > 0, height > 0 else { return square }
        guard ratio.numerator <= 65535, ratio.denominator <= 65535 else { return square }
        let shape = Double(width) / Double(height)
        let range = min(1.0 / 3, shape)...max(3, shape)
        return range.contains(shape * ratio.value) ? ratio : square
    }
}

/// The transformation matrix of `tkhd` and `mvhd` (ISO/IEC 14496-12 §6.2.2).
struct DisplayMatrix: Hashable, Sendable {
    private let values: [Int32]

    /// - Parameters:
    ///   - rotation: clockwise, in degrees; values other than 90, 180 and 270 count as 0.
    ///   - width, height: before rotation, in pixels.
    init(rotation: Int, width: Int, height: Int) {
        let one: Int32 = 0x0001_0000
        let right = Int32(clamping: width << 16)
        let down = Int32(clamping: height << 16)
        let w: Int32 = 0x4000_0000
        values =
            switch rotation {
            case 90: [0, one, 0, -one, 0, 0, down, 0, w]
            case 180: [-one, 0, 0, 0, -one, 0, right, down, w]
            case 270: [0, -one, 0, one, 0, 0, 0, right, w]
            default: [one, 0, 0, 0, one, 0, 0, 0, w]
            }
    }

    func write(to writer: inout BoxWriter) {
        for value in values { writer.uint32(UInt32(bitPattern: value)) }
    }
}
