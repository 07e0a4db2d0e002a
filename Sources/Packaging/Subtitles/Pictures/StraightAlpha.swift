// SPDX-License-Identifier: Apache-2.0

/// Divides colours by alpha.
package enum StraightAlpha {
    /// - Parameter pixels: RGBA, premultiplied by alpha.
    /// - Returns: the same pixels, with colours that are not premultiplied. Transparent pixels are black.
    package static func pixels(_ pixels: [UInt8]) -> [UInt8] {
        var result = pixels
        for start in stride(from: 0, to: pixels.count - 3, by: 4) {
            let alpha = Int(pixels[start + 3])
            guard alpha < 255 else { continue }
            for part in start..<(start + 3) {
                result[part] = alpha == 0 ? 0 : UInt8(clamping: (Int(pixels[part]) * 255 + alpha / 2) / alpha)
            }
        }
        return result
    }
}
