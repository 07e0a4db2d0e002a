// SPDX-License-Identifier: Apache-2.0

/// A picture of RGBA, 8 bits each, colours multiplied by alpha, without the margins in which nothing is to be seen.
package struct CroppedPicture: Hashable, Sendable {
    /// Of its upper left pixel in the picture that it was cut from.
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int
    /// Four bytes a pixel, rows without gaps.
    package let pixels: [UInt8]

    /// Less alpha than this is not seen.
    static let visibleAlpha: UInt8 = 8

    /// `nil` where nothing is to be seen.
    ///
    /// - Parameters:
    ///   - indices: a byte a pixel, rows without gaps. Rows that are missing are not seen.
    ///   - palette: 0xAARRGGBB, colours not multiplied. What lies behind its end is not seen.
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

    /// 256 entries, whatever `palette` has.
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
