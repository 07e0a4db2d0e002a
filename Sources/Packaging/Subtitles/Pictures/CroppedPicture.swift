// SPDX-License-Identifier: Apache-2.0

/// An RGBA image, 8 bits per channel, premultiplied by alpha, without invisible margins.
package struct CroppedPicture: Hashable, Sendable {
    /// The position of the upper left pixel in the original image.
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int
    /// Four bytes per pixel, rows without padding.
    package let pixels: [UInt8]

    /// Pixels with less alpha than this are invisible.
    static let visibleAlpha: UInt8 = 8

    /// `nil` if nothing is visible.
    ///
    /// - Parameters:
    ///   - indices: one byte per pixel, rows without padding. Missing rows are invisible.
    ///   - palette: 0xAARRGGBB, not premultiplied. Indices beyond its end are invisible.
    package init?(width: Int, height: Int, indices: [UInt8], palette: [UInt32]) {
        guard width > 0, height > 0 else { return nil }
        let colors = Self.multiplied(palette)
        let height = min(height, indices.count / width)
        var (left, right, top, bottom) = (width, -1, height, -1)
        for row in 0..<height {
            let start = row * width
            guard let first = (0..<width).first(where: { colors[Int(indices[start + $0])].isVisible }),
                let last = (0..<width).last(where: { colors[Int(indices[start + $0])].isVisible })
            else { continue }
            (left, right, top, bottom) = (min(left, first), max(right, last), min(top, row), row)
        }
        guard right >= left else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity((right - left + 1) * (bottom - top + 1) * 4)
        for row in top...bottom {
            for column in left...right {
                let color = colors[Int(indices[row * width + column])]
                pixels.append(color.red)
                pixels.append(color.green)
                pixels.append(color.blue)
                pixels.append(color.alpha)
            }
        }
        (x, y, self.width, self.height) = (left, top, right - left + 1, bottom - top + 1)
        self.pixels = pixels
    }

    private struct Color {
        var (red, green, blue, alpha) = (UInt8(0), UInt8(0), UInt8(0), UInt8(0))
        var isVisible: Bool { alpha >= CroppedPicture.visibleAlpha }
    }

    /// Always 256 entries, whatever the size of `palette`.
    private static func multiplied(_ palette: [UInt32]) -> [Color] {
        var colors = [Color](repeating: Color(), count: 256)
        for (index, word) in palette.prefix(256).enumerated() {
            let alpha = word >> 24
            func part(_ shift: UInt32) -> UInt8 {
                UInt8(truncatingIfNeeded: ((word >> shift & 0xFF) * alpha + 127) / 255)
            }
            colors[index] = Color()
            (colors[index].red, colors[index].green, colors[index].blue) = (part(16), part(8), part(0))
            colors[index].alpha = UInt8(truncatingIfNeeded: alpha)
        }
        return colors
    }
}
