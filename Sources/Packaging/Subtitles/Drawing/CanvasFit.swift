// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Where the images of subtitles lie on a video. Pure.
///
/// Images state their place in fractions of a canvas, which usually has the shape of the video. If it does not, as in a
/// video whose black bars were cut off, the canvas is as wide as the video and centred, and images that would lie
/// outside are moved inside.
package struct CanvasFit: Sendable {
    /// Shapes that differ less are the same.
    private static let tolerance = 0.02
    /// The sides of canvases of standard definition (DVD, DVB). Their pixels are not square, so such a canvas covers
    /// the whole video, whatever its shape (ETSI EN 300 743).
    private static let standardWidths = 704...720
    private static let standardHeights = 480...576

    private let stored: (width: Int, height: Int)
    private let shown: (width: Int, height: Int)

    /// - Parameters:
    ///   - stored: the size of the video in the source after cropping, in pixels.
    ///   - shown: its size as it is displayed.
    package init(stored: (width: Int, height: Int), shown: (width: Int, height: Int)) {
        (self.stored, self.shown) = (stored, shown)
    }

    /// The place of an image, in fractions of the video as it is displayed.
    package func place(of image: CueImage) -> OverlayRectangle {
        var place = OverlayRectangle(
            x: image.corner.x,
            y: image.corner.y,
            width: image.extent.x,
            height: image.extent.y
        )
        let canvas = (width: image.canvasWidth, height: image.canvasHeight)
        guard canvas.width > 0, canvas.height > 0, shown.width > 0, shown.height > 0, canvas != stored else {
            return place
        }
        if Self.standardWidths.contains(canvas.width), Self.standardHeights.contains(canvas.height) { return place }
        // The height of the canvas in fractions of the video's.
        let height = Double(canvas.height * shown.width) / Double(canvas.width * shown.height)
        guard abs(height - 1) > Self.tolerance else { return place }
        place.height = min(1, place.height * height)
        place.y = min(max(0, place.y * height + (1 - height) / 2), 1 - place.height)
        return place
    }
}
