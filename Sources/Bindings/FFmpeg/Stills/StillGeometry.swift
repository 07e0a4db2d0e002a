// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// How large a still is, and what is done to a picture on the way there.
package struct StillGeometry: Hashable, Sendable {
    /// What is cut off before anything else.
    package var cropping: Cropping
    /// The size before rotation.
    package var scaledWidth: Int
    package var scaledHeight: Int
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    package var rotation: Int

    /// The longest side of a still: that of WebP (RFC 9649 §2.6).
    static let longestSide = 16383
    /// Pixels that are more oblong than this are taken for square.
    private static let sampleAspectLimit = 8.0

    package var width: Int { isTurned ? scaledHeight : scaledWidth }
    package var height: Int { isTurned ? scaledWidth : scaledHeight }
    private var isTurned: Bool { rotation == 90 || rotation == 270 }

    /// The displayed picture, made small enough for the limits but never larger.
    ///
    /// Where pixels are not square the displayed picture is larger than the coded one on one side and as large on the
    /// other, as players show it. What the container crops counts only for pictures of the size it was written for.
    ///
    /// - Parameters:
    ///   - width: of the decoded picture.
    ///   - maximumWidth: of the still, after rotation. `nil` for no limit.
    package init(width: Int, height: Int, _ video: VideoProperties, maximumWidth: Int?, maximumHeight: Int?) {
        let isDescribed = width == video.width && height == video.height
        let applies = isDescribed && video.cropping.fits(width: width, height: height)
        cropping = applies ? video.cropping : Cropping()
        rotation = [90, 180, 270].contains(video.rotation) ? video.rotation : 0
        let visibleWidth = Double(width - cropping.left - cropping.right)
        let visibleHeight = Double(height - cropping.top - cropping.bottom)
        let aspect = Self.sampleAspect(video.sampleAspectRatio)
        let displayWidth = visibleWidth * max(aspect, 1)
        let displayHeight = visibleHeight / min(aspect, 1)
        let isTurned = rotation == 90 || rotation == 270
        let (limitAcross, limitDown) =
            isTurned ? (maximumHeight, maximumWidth) : (maximumWidth, maximumHeight)
        let factor = min(
            1,
            Double(Self.limit(limitAcross)) / displayWidth,
            Double(Self.limit(limitDown)) / displayHeight
        )
        scaledWidth = max(1, Int((displayWidth * factor).rounded()))
        scaledHeight = max(1, Int((displayHeight * factor).rounded()))
    }

    private static func limit(_ requested: Int?) -> Int { min(max(requested ?? longestSide, 1), longestSide) }

    private static func sampleAspect(_ ratio: Ratio) -> Double {
        guard ratio.numerator > 0, ratio.denominator > 0 else { return 1 }
        let value = Double(ratio.numerator) / Double(ratio.denominator)
        return (1 / sampleAspectLimit...sampleAspectLimit).contains(value) ? value : 1
    }
}
