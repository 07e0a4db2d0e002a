// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The position of an overlay on a frame, as displayed and as coded. Pure.
package struct OverlayLayout: Hashable, Sendable {
    package let bounds: OverlayBounds
    /// The size of the drawing: the overlay as displayed, or smaller where that exceeds `pixelLimit`.
    package let drawing: Drawing.Size
    /// `x`, `y`, `width` and `height` are in pixels of the coded frame.
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int

    /// The largest drawing, in pixels. For a larger overlay, a drawing of this size is scaled up.
    package static let pixelLimit = 3840 * 2160

    /// - Parameters:
    ///   - rotation: how far the coded frame is rotated clockwise for display: 0, 90, 180 or 270.
    ///   - isAligned: whether the left and top edges are aligned to chroma samples.
    package init(_ rectangle: OverlayRectangle, on shape: FrameShape, rotation: Int, isAligned: Bool = true) {
        let isTurned = rotation == 90 || rotation == 270
        let wide = max(1, Int((Double(shape.width) * min(max(shape.aspect.value, 0.01), 100)).rounded()))
        let (seenWidth, seenHeight) = isTurned ? (shape.height, wide) : (wide, shape.height)
        let seen = Self.pixels(rectangle, seenWidth, seenHeight, grid: (1, 1))
        bounds = OverlayBounds(
            x: seen.x,
            y: seen.y,
            width: seen.width,
            height: seen.height,
            pictureWidth: seenWidth,
            pictureHeight: seenHeight
        )
        drawing = Self.bounded(seen.width, seen.height)
        let grid = isAligned ? (1 << shape.chromaShift.horizontal, 1 << shape.chromaShift.vertical) : (1, 1)
        let coded = Self.pixels(Self.turnedBack(rectangle, rotation), shape.width, shape.height, grid: grid)
        (x, y, width, height) = (coded.x, coded.y, coded.width, coded.height)
    }

    /// Rounds to whole pixels; the left and top edges are aligned to `grid`.
    private static func pixels(
        _ rectangle: OverlayRectangle,
        _ width: Int,
        _ height: Int,
        grid: (Int, Int)
    ) -> (x: Int, y: Int, width: Int, height: Int) {
        func span(_ start: Double, _ length: Double, _ total: Int, _ grid: Int) -> (Int, Int) {
            let first = min(Int((start * Double(total)).rounded()), total - 1) / grid * grid
            let end = min(max(Int(((start + length) * Double(total)).rounded()), first + 1), total)
            return (first, end - first)
        }
        let (x, across) = span(rectangle.x, rectangle.width, width, grid.0)
        let (y, down) = span(rectangle.y, rectangle.height, height, grid.1)
        return (x, y, across, down)
    }

    /// The rectangle on the frame before rotation.
    private static func turnedBack(_ seen: OverlayRectangle, _ rotation: Int) -> OverlayRectangle {
        let (right, bottom) = (1 - seen.x - seen.width, 1 - seen.y - seen.height)
        return switch rotation {
        case 90: OverlayRectangle(x: seen.y, y: right, width: seen.height, height: seen.width)
        case 180: OverlayRectangle(x: right, y: bottom, width: seen.width, height: seen.height)
        case 270: OverlayRectangle(x: bottom, y: seen.x, width: seen.height, height: seen.width)
        default: seen
        }
    }

    private static func bounded(_ width: Int, _ height: Int) -> Drawing.Size {
        let pixels = Double(width) * Double(height)
        guard pixels > Double(pixelLimit) else { return Drawing.Size(width: width, height: height) }
        let scale = (Double(pixelLimit) / pixels).squareRoot()
        return Drawing.Size(width: max(1, Int(Double(width) * scale)), height: max(1, Int(Double(height) * scale)))
    }
}
