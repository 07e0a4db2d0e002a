// SPDX-License-Identifier: Apache-2.0

/// What a stack of translucent layers makes of one pixel, whatever is below it.
///
/// libavfilter rounds down after each layer, so its result is not a linear function of the colour below, and no
/// premultiplied pixel can reproduce it exactly. This type applies libavfilter's arithmetic to five greys, and then
/// chooses the 8-bit pixel that lies closest to all five results.
struct LayeredPixel: Hashable, Sendable {
    private static let greys: [Int32] = [0, 64, 128, 192, 255]
    private static let channels = 3
    /// Without layers.
    static let bare = LayeredPixel()

    /// Red, green and blue over each grey; the last lane is unused.
    private var levels: SIMD16<UInt8>

    private init() { levels = Self.repeated { UInt8(Self.greys[$0]) } }

    /// - Parameter value: by the number of the grey; the same for all channels.
    private static func repeated<Scalar>(_ value: (Int) -> Scalar) -> SIMD16<Scalar> where Scalar: FixedWidthInteger {
        var result = SIMD16<Scalar>()
        for lane in 0..<(greys.count * channels) { result[lane] = value(lane / channels) }
        return result
    }
}

// MARK: Layers

extension LayeredPixel {
    /// A colour as `blend` needs it.
    struct Ink {
        fileprivate let levels: SIMD16<UInt32>
        /// The share of the colour where the mask is 1 of 255; 0 if it is transparent.
        fileprivate let share: UInt32

        var isTransparent: Bool { share == 0 }

        /// - Parameter color: 0xRRGGBBTT, where TT is the transparency.
        init(_ color: UInt32) {
            var levels = SIMD16<UInt32>()
            for lane in 0..<(greys.count * channels) {
                levels[lane] = color >> UInt32(24 - 8 * (lane % channels)) & 0xFF
            }
            self.levels = levels
            // From `ff_blend_mask`: 0x10203, a 255th of `whole`, at full opacity.
            share = (0x10307 * (255 - color & 0xFF) + 3) >> 8
        }
    }

    /// The sum of the shares of a layer and of what is below it. Its product with 255 fills 32 bits.
    private static let whole: UInt32 = 0x101_0101

    /// Lays a colour over the pixel, with the arithmetic of `ff_blend_mask`.
    ///
    /// - Parameter coverage: of the mask, 0 … 255.
    mutating func blend(_ ink: Ink, _ coverage: UInt8) {
        let share = ink.share * UInt32(coverage)
        let below = SIMD16<UInt32>(truncatingIfNeeded: levels)
        let sum = below &* (Self.whole - share) &+ ink.levels &* share
        levels = SIMD16(truncatingIfNeeded: sum &>> 24)
    }
}

// MARK: Result

extension LayeredPixel {
    /// The grey below each lane.
    private static let below = repeated { Self.greys[$0] }

    /// Red, green, blue and alpha, premultiplied.
    var premultiplied: SIMD4<UInt8> {
        let shown = SIMD16<Int32>(truncatingIfNeeded: levels)
        let last = (Self.greys.count - 1) * Self.channels
        /// What is left of the difference between white and black, over all channels.
        var remainder: Int32 = 0
        for channel in 0..<Self.channels { remainder += shown[last + channel] - shown[channel] }
        let alpha = 255 - (remainder + 1) / 3
        var best = fit(shown, max(0, alpha))
        for other in [alpha - 1, alpha + 1] where (0...255).contains(other) {
            let found = fit(shown, other)
            if found.error < best.error { best = found }
        }
        return best.pixel
    }

    /// The closest pixel with this alpha, and its largest error, in 255ths of a level.
    private func fit(_ shown: SIMD16<Int32>, _ alpha: Int32) -> (pixel: SIMD4<UInt8>, error: Int32) {
        // What the pixel's colour has to add over each grey, in 255ths of a level.
        let wanted = shown &* 255 &- Self.below &* (255 - alpha)
        var pixel = SIMD4<UInt8>(0, 0, 0, UInt8(alpha))
        var error: Int32 = 0
        for channel in 0..<Self.channels {
            var (least, most) = (wanted[channel], wanted[channel])
            for grey in 1..<Self.greys.count {
                least = min(least, wanted[grey * Self.channels + channel])
                most = max(most, wanted[grey * Self.channels + channel])
            }
            // Premultiplied colours never exceed alpha.
            let level = min(alpha, max(0, (least + most + 255) / 510))
            pixel[channel] = UInt8(level)
            error = max(error, most - level * 255, level * 255 - least)
        }
        return (pixel, error)
    }
}
