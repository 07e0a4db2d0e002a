// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The steps from a decoded frame to the displayed size and orientation: cropping, scaling, rotation. Pure.
package struct StillLayout: Hashable, Sendable {
    package let cropping: Cropping
    /// Before rotation, in square pixels.
    package let scaledWidth: Int
    package let scaledHeight: Int
    /// Clockwise, in degrees.
    package let rotation: Int

    /// - Parameters:
    ///   - width: the width of the decoded frame, which may differ from the container's.
    ///   - height: the height of the decoded frame.
    package init(width: Int, height: Int, video: VideoProperties, style: StillStyle) {
        let isAsDeclared = width == video.width && height == video.height
        cropping =
            isAsDeclared && video.cropping.fits(width: width, height: height) ? video.cropping : Cropping()
        rotation = video.rotation
        let high = max(1, height - cropping.top - cropping.bottom)
        let wide = max(1, width - cropping.left - cropping.right)
        // Shrink one side to make pixels square, so that nothing is enlarged.
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

    /// Whether a decoded frame of this size is only cropped and not scaled.
    func keepsSize(width: Int, height: Int) -> Bool {
        scaledWidth == width - cropping.left - cropping.right && scaledHeight == height - cropping.top - cropping.bottom
    }

    /// The sample aspect ratio; 1 if it would result in an implausible shape.
    private static func plausible(_ ratio: Ratio, width: Int, height: Int) -> Double {
        guard ratio.numerator > 0, ratio.denominator > 0 else { return 1 }
        let shape = Double(width) / Double(height)
        let range = min(1.0 / 3, shape)...max(3, shape)
        return range.contains(shape * ratio.value) ? ratio.value : 1
    }
}
