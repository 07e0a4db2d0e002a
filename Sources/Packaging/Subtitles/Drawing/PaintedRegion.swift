// SPDX-License-Identifier: Apache-2.0

/// A part of a canvas on which coloured masks are blended, one over the other.
package struct PaintedRegion: Sendable {
    package let box: PixelBox
    /// Red, green, blue and alpha of each pixel, premultiplied, in 256ths of a level, so that many layers lose nothing.
    private var levels: [UInt16]

    package init(_ box: PixelBox) {
        self.box = box
        levels = [UInt16](repeating: 0, count: box.width * box.height * 4)
    }

    /// Blends the part of a mask that lies in the region.
    ///
    /// - Parameters:
    ///   - mask: how much of each pixel is covered, 0 … 255; the last row may end without padding.
    ///   - stride: the bytes from one row of the mask to the next.
    ///   - area: where the mask lies on the canvas.
    ///   - color: 0xRRGGBBTT, where TT is the transparency.
    package mutating func blend(_ mask: Span<UInt8>, stride: Int, at area: PixelBox, color: UInt32) {
        let opacity = 255 - (color & 0xFF)
        guard opacity > 0, let common = box.common(area) else { return }
        let inks = SIMD4<UInt32>(color >> 24, color >> 16 & 0xFF, color >> 8 & 0xFF, 255) &* 256
        for y in common.y..<(common.y + common.height) {
            var source = (y - area.y) * stride + common.x - area.x
            var target = ((y - box.y) * box.width + common.x - box.x) * 4
            for _ in 0..<common.width {
                let coverage = UInt32(mask[source]) &* opacity
                if coverage > 0 { blend(inks, coverage, at: target) }
                source += 1
                target += 4
            }
        }
    }

    /// - Parameter coverage: 0 … 65025. Products with it fit into 32 bits, because levels are at most 65280.
    private mutating func blend(_ inks: SIMD4<UInt32>, _ coverage: UInt32, at index: Int) {
        let under = SIMD4<UInt32>(
            UInt32(levels[index]),
            UInt32(levels[index + 1]),
            UInt32(levels[index + 2]),
            UInt32(levels[index + 3])
        )
        let sum = under &* (65025 - coverage) &+ inks &* coverage &+ 32512
        for part in 0..<4 { levels[index + part] = UInt16(truncatingIfNeeded: sum[part] / 65025) }
    }

    /// 8-bit RGBA, premultiplied by alpha, rows without padding.
    package var pixels: [UInt8] { levels.map { UInt8(truncatingIfNeeded: (UInt32($0) + 128) >> 8) } }
}
