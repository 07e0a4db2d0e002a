// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The way from a decoded picture to the size and the orientation in which it is seen. Pure.
package struct StillLayout: Hashable, Sendable {
    package let cropping: Cropping
    /// Before rotation, in square pixels.
    package let scaledWidth: Int
    package let scaledHeight: Int
    /// Clockwise, in degrees.
    package let rotation: Int

    /// - Parameters:
    ///   - width: of the decoded picture, which may differ from what the container says.
    ///   - height: likewise.
    package init(width: Int, height: Int, video: VideoProperties, style: StillStyle) {
        let isAsDeclared = width == video.width && height == video.height
        cropping =
            isAsDeclared && video.cropping.fits(width: width, height: height) ? video.cropping : Cropping()
        rotation = video.rotation
        let high = max(1, height - cropping.top - cropping.bottom)
        let wide = max(1, width - cropping.left - cropping.right)
        // Pixels become square by making the longer side shorter: nothing becomes larger.
        let ratio = Self.plausible(video.sampleAspectRatio, width: wide, height: high)
        let shownWidth = Double(wide) * min(1, ratio)
        let shownHeight = Double(high) / max(1, ratio)
        let isTurned = rotation == 90 || rotation == 270
        let widest = isTurned ? style.maximumHeight : style.maximumWidth
        let highest = isTurned ? style.maximumWidth : style.maximumHeight
        let scale = min(
            1,
            widest.map { Double($0) / shownWidth } ?? 1,
            highest.map { Double($0) / shownHeight } ?? 1
        )
        scaledWidth = max(1, Int((shownWidth * scale).rounded()))
        scaledHeight = max(1, Int((shownHeight * scale).rounded()))
    }

    /// Whether a decoded picture of this size becomes neither smaller nor larger, but for what is cut off.
    func keepsSize(width: Int, height: Int) -> Bool {
        scaledWidth == width - cropping.left - cropping.right && scaledHeight == height - cropping.top - cropping.bottom
    }

    /// The ratio of a pixel's width to its height; 1 where it makes a shape that cannot be meant.
    private static func plausible(_ ratio: Ratio, width: Int, height: Int) -> Double {
        guard ratio.numerator > 0, ratio.denominator > 0 else { return 1 }
        let shape = Double(width) / Double(height)
        let range = min(1.0 / 3, shape)...max(3, shape)
        return range.contains(shape * ratio.value) ? ratio.value : 1
    }
}
