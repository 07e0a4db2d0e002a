// SPDX-License-Identifier: Apache-2.0

/// The pixels that a container crops from each side of a decoded frame: `clap` in MP4, PixelCrop in Matroska.
public struct Cropping: Hashable, Sendable {
    public var left: Int
    public var top: Int
    public var right: Int
    public var bottom: Int

    public init(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    public var isNone: Bool { self == Cropping() }

    /// Whether cropping leaves a non-empty area of a frame this size.
    package func fits(width: Int, height: Int) -> Bool {
        let numbers = [left, top, right, bottom, width, height]
        guard numbers.allSatisfy({ (0...65535).contains($0) }) else { return false }
        return left + right < width && top + bottom < height
    }
}
