// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Layers over an unknown background")
struct LayeredPixelTests {
    private struct Layer {
        let coverage: UInt8
        /// 0xRRGGBBTT, where TT is the transparency.
        let color: UInt32
    }

    /// What `ff_blend_mask` of libavfilter makes of one component of a colour below the layers.
    private static func drawn(_ layers: [Layer], over grey: Int, component: Int) -> Int {
        let whole = 0x101_0101
        return layers.reduce(grey) { below, layer in
            let share = ((0x10307 * (255 - Int(layer.color & 0xFF)) + 3) >> 8) * Int(layer.coverage)
            let level = Int(layer.color >> UInt32(24 - 8 * component) & 0xFF)
            return ((whole - share) * below + share * level) >> 24
        }
    }

    private static func pixel(_ layers: [Layer]) -> SIMD4<UInt8> {
        layers.reduce(into: LayeredPixel.bare) { $0.blend(LayeredPixel.Ink($1.color), $1.coverage) }.premultiplied
    }

    /// How often the shown level differs from `drawn` by each amount, over all greys and components.
    private static func differences(_ layers: [Layer]) -> [Int] {
        let pixel = pixel(layers)
        var counts = [Int](repeating: 0, count: 256)
        for grey in 0...255 {
            for component in 0..<3 {
                // Rounded to the nearest level.
                let shown = (grey * (255 - Int(pixel.w)) * 2 + Int(pixel[component]) * 510 + 255) / 510
                counts[abs(shown - drawn(layers, over: grey, component: component))] += 1
            }
        }
        return counts
    }

    /// Numbers that look random and are the same in every run.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64 = 7

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
    }

    @Test("Without layers and through transparent ones the background shows; an opaque layer hides it")
    func extremes() {
        #expect(Self.pixel([]) == SIMD4(0, 0, 0, 0))
        #expect(Self.pixel([Layer(coverage: 255, color: 0xFFFF_FFFF)]) == SIMD4(0, 0, 0, 0))
        let hidden = Layer(coverage: 90, color: 0x1234_5640)
        for color in [0x2040_6000, 0x0000_0000, 0xFFFF_FF00] as [UInt32] {
            let pixel = Self.pixel([hidden, Layer(coverage: 255, color: color)])
            let wanted = SIMD4(color >> 24, color >> 16 & 0xFF, color >> 8 & 0xFF, 255)
            #expect(pixel == SIMD4(truncatingIfNeeded: wanted))
        }
    }

    @Test(
        "Over every grey, nearly all components are within a level of libavfilter's, and all are within the limit",
        arguments: [(1, 0.0003, 2), (2, 0.004, 2), (3, 0.006, 3), (6, 0.008, 4), (12, 0.004, 5)]
    )
    func accuracy(layerCount: Int, share: Double, limit: Int) {
        var numbers = Numbers()
        var counts = [Int](repeating: 0, count: 256)
        for _ in 0..<400 {
            let layers = (0..<layerCount).map { _ in
                let color = UInt32.random(in: 0 ... .max, using: &numbers)
                let isOpaque = Bool.random(using: &numbers)
                return Layer(coverage: .random(in: 1...255, using: &numbers), color: isOpaque ? color & ~0xFF : color)
            }
            for (place, count) in Self.differences(layers).enumerated() { counts[place] += count }
        }
        let all = counts.reduce(0, +)
        #expect(Double(counts.dropFirst(2).reduce(0, +)) <= share * Double(all), "\(counts.prefix(8))")
        #expect(counts.dropFirst(limit + 1).allSatisfy { $0 == 0 }, "\(counts.prefix(8))")
    }

    @Test("Twenty thin layers darken the background as they do in libavfilter")
    func manyLayers() {
        let layers = (0..<20).map { Layer(coverage: 40, color: [0x2020_2000, 0x4000_0060, 0xC0C0_C000][$0 % 3]) }
        #expect(Self.differences(layers).dropFirst(2).reduce(0, +) <= 8)
    }

    @Test("Colours never exceed alpha")
    func premultiplied() {
        var numbers = Numbers()
        for _ in 0..<2000 {
            let layers = (0..<3).map { _ in
                Layer(
                    coverage: .random(in: 0...255, using: &numbers),
                    color: UInt32.random(in: 0 ... .max, using: &numbers) | 0xC0
                )
            }
            let pixel = Self.pixel(layers)
            #expect(max(pixel.x, pixel.y, pixel.z) <= pixel.w)
        }
    }
}
