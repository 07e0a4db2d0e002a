// SPDX-License-Identifier: Apache-2.0

/// A rectangle of pixels.
package struct PixelBox: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package func holds(_ other: PixelBox) -> Bool {
        other.x >= x && other.y >= y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }

    /// Whether the distance between two boxes is below `distance` pixels in both directions.
    func isWithin(_ distance: Int, of other: PixelBox) -> Bool {
        x - distance < other.x + other.width && other.x - distance < x + width
            && y - distance < other.y + other.height && other.y - distance < y + height
    }

    func joined(_ other: PixelBox) -> PixelBox {
        let (left, top) = (min(x, other.x), min(y, other.y))
        let right = max(x + width, other.x + other.width)
        let bottom = max(y + height, other.y + other.height)
        return PixelBox(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// The part that two boxes have in common.
    func common(_ other: PixelBox) -> PixelBox? {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(x + width, other.x + other.width), min(y + height, other.y + other.height))
        guard left < right, top < bottom else { return nil }
        return PixelBox(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// Divides what is drawn on a canvas into a few rectangles that do not overlap, so that two lines of text at opposite
/// edges do not become one image of the size of the canvas.
package struct PictureRegions: Sendable {
    private static let limit = 8
    /// Boxes that are closer than this, in pixels, are joined.
    private static let distance = 16

    private let canvas: PixelBox
    package private(set) var boxes: [PixelBox] = []

    package init(on canvas: PixelBox) { self.canvas = canvas }

    /// Adds the part of a box that is on the canvas.
    package mutating func add(_ box: PixelBox) {
        guard var joined = box.common(canvas) else { return }
        // Joining may bring the box near others.
        while let place = boxes.firstIndex(where: { $0.isWithin(Self.distance, of: joined) }) {
            joined = joined.joined(boxes.remove(at: place))
        }
        boxes.append(joined)
        guard boxes.count > Self.limit else { return }
        boxes = [boxes.dropFirst().reduce(boxes[0]) { $0.joined($1) }]
    }
}
