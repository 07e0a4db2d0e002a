// SPDX-License-Identifier: Apache-2.0

/// A part of a canvas on which coloured masks are blended, one over the other.
package struct PaintedRegion: Sendable {
    package let box: PixelBox
    private var layered: [LayeredPixel]

    package init(_ box: PixelBox) {
        self.box = box
        layered = [LayeredPixel](repeating: .bare, count: box.width * box.height)
    }

    /// Blends the part of a mask that lies in the region.
    ///
    /// - Parameters:
    ///   - mask: how much of each pixel is covered, 0 … 255; the last row may end without padding.
    ///   - stride: the bytes from one row of the mask to the next.
    ///   - area: where the mask lies on the canvas.
    ///   - color: 0xRRGGBBTT, where TT is the transparency.
    package mutating func blend(_ mask: Span<UInt8>, stride: Int, at area: PixelBox, color: UInt32) {
        let ink = LayeredPixel.Ink(color)
        guard !ink.isTransparent, let common = box.common(area) else { return }
        for y in common.y..<(common.y + common.height) {
            let source = (y - area.y) * stride + common.x - area.x
            let target = (y - box.y) * box.width + common.x - box.x
            for column in 0..<common.width {
                let coverage = mask[source + column]
                if coverage > 0 { layered[target + column].blend(ink, coverage) }
            }
        }
    }

    /// 8-bit RGBA, premultiplied by alpha, rows without padding.
    package var pixels: [UInt8] {
        var result = [UInt8](repeating: 0, count: layered.count * 4)
        // Most neighbours are equal: inside letters, between them, and in boxes.
        var (last, pixel) = (LayeredPixel.bare, LayeredPixel.bare.premultiplied)
        for (place, next) in layered.enumerated() {
            if next != last { (last, pixel) = (next, next.premultiplied) }
            for part in 0..<4 { result[place * 4 + part] = pixel[part] }
        }
        return result
    }
}
