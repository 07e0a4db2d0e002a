// SPDX-License-Identifier: Apache-2.0

/// A bitmap subtitle as a program that recognizes text expects it: dark letters on white paper, large enough, with a
/// margin.
package struct InkPicture: Hashable, Sendable {
    package let width: Int
    package let height: Int
    /// One byte per pixel, rows without padding; 0 is ink.
    package let pixels: [UInt8]

    /// In pixels of the result.
    private static let margin = 20
    /// Letters are large enough on a canvas of this height.
    private static let canvasHeight = 900
    private static let largestFactor = 4
    private static let areaLimit = 32 << 20

    /// `nil` if the picture is empty or too large to be text, or if `pixels` is not of its size.
    ///
    /// - Parameters:
    ///   - pixels: RGBA, premultiplied by alpha, rows without padding.
    ///   - canvasHeight: of the canvas for which the picture was made.
    package init?(width: Int, height: Int, pixels: [UInt8], canvasHeight: Int) {
        guard width > 0, height > 0, pixels.count == width * height * 4 else { return nil }
        let needed = (Self.canvasHeight + max(1, canvasHeight) - 1) / max(1, canvasHeight)
        let factor = min(Self.largestFactor, max(1, needed))
        guard width * height <= Self.areaLimit / (factor * factor) else { return nil }
        let plain = Self.paper(width, height, pixels)
        let (margin, wide) = (Self.margin, width * factor + 2 * Self.margin)
        let high = height * factor + 2 * margin
        var result = [UInt8](repeating: 255, count: wide * high)
        for y in 0..<(height * factor) {
            for x in 0..<(width * factor) {
                result[(y + margin) * wide + x + margin] = Self.sample(plain, width, height, x, y, factor)
            }
        }
        (self.width, self.height, self.pixels) = (wide, high, result)
    }

    /// The picture with dark letters on white paper, in its own size; one byte per pixel.
    ///
    /// Opaque pixels beside transparent ones are taken for the outline of the letters, all other opaque pixels for the
    /// letters themselves. If the letters are brighter than the outline, the picture is inverted.
    private static func paper(_ width: Int, _ height: Int, _ pixels: [UInt8]) -> [UInt8] {
        func alpha(_ x: Int, _ y: Int) -> Int {
            (0..<width).contains(x) && (0..<height).contains(y) ? Int(pixels[(y * width + x) * 4 + 3]) : 0
        }
        /// Rec. 601 luma over black.
        func luma(_ index: Int) -> Int {
            let (red, green, blue) = (Int(pixels[index]), Int(pixels[index + 1]), Int(pixels[index + 2]))
            return (red * 77 + green * 150 + blue * 29) >> 8
        }
        var (inside, outside) = ((sum: 0, count: 0), (sum: 0, count: 0))
        for y in 0..<height {
            for x in 0..<width where alpha(x, y) >= 128 {
                let isEdge = min(alpha(x - 1, y), alpha(x + 1, y), alpha(x, y - 1), alpha(x, y + 1)) < 128
                let value = luma((y * width + x) * 4)
                if isEdge {
                    outside = (outside.sum + value, outside.count + 1)
                } else {
                    inside = (inside.sum + value, inside.count + 1)
                }
            }
        }
        let isBright = inside.sum * max(1, outside.count) >= outside.sum * max(1, inside.count)
        return stride(from: 0, to: pixels.count, by: 4).map { index in
            // Bright letters: composited over black, then inverted. Dark letters: composited over white.
            UInt8(clamping: isBright ? 255 - luma(index) : luma(index) + 255 - Int(pixels[index + 3]))
        }
    }

    /// One pixel of the enlarged picture, by bilinear interpolation.
    private static func sample(
        _ plain: [UInt8],
        _ width: Int,
        _ height: Int,
        _ x: Int,
        _ y: Int,
        _ factor: Int
    ) -> UInt8 {
        guard factor > 1 else { return plain[y * width + x] }
        /// The two columns (or rows) of the source between which one of the result lies. `part`: its distance from the
        /// first of them, in 256ths of a pixel.
        func position(_ value: Int, _ limit: Int) -> (index: Int, next: Int, part: Int) {
            let place = max(0, (2 * value + 1) * 128 / factor - 128)
            let index = min(place >> 8, limit - 1)
            return (index, min(index + 1, limit - 1), place & 255)
        }
        let (column, row) = (position(x, width), position(y, height))
        func line(_ row: Int) -> Int {
            Int(plain[row * width + column.index]) * (256 - column.part)
                + Int(plain[row * width + column.next]) * column.part
        }
        return UInt8(truncatingIfNeeded: (line(row.index) * (256 - row.part) + line(row.next) * row.part) >> 16)
    }

    /// As a file (PGM).
    package var file: [UInt8] { Array("P5 \(width) \(height) 255\n".utf8) + pixels }
}
